# syntax=docker/dockerfile:1
# Two stages: one that has the compiler, one that runs. The image holds Node, the production dependencies and dist/.

FROM node:26-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
# The image brings its own Node: the optional ones from npm stay out.
RUN npm ci --omit=optional
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
COPY adapters ./adapters
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
RUN mkdir -p /var/lib/longshore && chown node:node /var/lib/longshore
USER node
VOLUME /var/lib/longshore
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["node", "dist/src/main.js", "health"]
# The gateway is process 1 and handles SIGTERM itself: it drains, then exits.
ENTRYPOINT ["node", "dist/src/main.js"]
CMD ["serve"]
