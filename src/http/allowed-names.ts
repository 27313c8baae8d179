// Which Host and Origin headers are answered: the loopback names, the public URL's, and those that are configured. A page of
// another site can make a browser send requests to a local port; it can't make it say another Host or no Origin.

import type { Config } from '../config/config.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

const hostName = (host: string): string => new URL(`http://${host}`).hostname;

const publicName = ({ server }: Config): readonly string[] =>
  server.publicUrl === undefined ? [] : [new URL(server.publicUrl).hostname];

/** Names without ports. */
export const allowedHostNames = (config: Config): readonly string[] => [
  ...new Set([...LOOPBACK, ...config.server.allowedHosts.map(hostName), ...publicName(config)]),
];

/** Names without schemes and ports. */
export const allowedOriginNames = (config: Config): readonly string[] => [
  ...new Set([...LOOPBACK, ...config.server.allowedOrigins.map((origin) => new URL(origin).hostname), ...publicName(config)]),
];
