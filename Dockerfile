# syntax=docker/dockerfile:1
# Two stages: one that has the compiler, one that runs. The image holds Node, the production dependencies and dist/.
#
# Mount a configuration, keep the ledger on a volume. In a container the gateway has to listen on every interface, and as nobody
# is identified yet it does so only when the configuration says it in full:
#
#   server:
#     listen: 0.0.0.0:8080
#     dangerouslyServeEveryoneWithoutIdentity: true
#
#   docker run -p 127.0.0.1:8080:8080 -v ./longshore.yaml:/etc/longshore/longshore.yaml:ro -v longshore:/var/lib/longshore longshore
#
# Publish the port on the loopback, as here, or keep strangers off the network. Clients that call it by another name than
# localhost, such as a service of the same Compose file, need that name in server.allowedHosts.

FROM node:26-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
# Optional packages too: the compiler is one for this platform. The Node among them is pruned below, as the image brings its own.
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
COPY adapters ./adapters
COPY specs/mcp ./specs/mcp
RUN npm run build && npm prune --omit=dev --omit=optional

FROM node:26-slim
ENV NODE_ENV=production \
    LONGSHORE_CONFIG=/etc/longshore/longshore.yaml \
    LONGSHORE_LEDGER=sqlite:/var/lib/longshore/longshore.db
WORKDIR /opt/longshore
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/dist ./dist
COPY schema ./schema
COPY specs/presets ./specs/presets
RUN mkdir -p /var/lib/longshore && chown node:node /var/lib/longshore
USER node
VOLUME /var/lib/longshore
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["node", "dist/src/main.js", "health"]
# The gateway is process 1 and handles SIGTERM itself: it drains, then exits.
ENTRYPOINT ["node", "dist/src/main.js"]
CMD ["serve"]
