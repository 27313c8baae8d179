// What the file says that no member says alone: contradictions, which are refused, and what is allowed but unwise.

import { isIPv4 } from 'node:net';
import { CONFIGURATION, faultOfChange, type GatePlace, samePlace } from '../core/gates.ts';
import type { Problem } from './problems.ts';
import { type ConfigDraft, type CredentialFile, SECRET_MEND, type UpstreamDraft } from './schema.ts';
import type { Path } from './tree.ts';

/** Whether only this machine can reach what listens there. A name other than localhost is not looked up: it counts as public. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase();
  return name === 'localhost' || name.endsWith('.localhost') || name === '::1' || (isIPv4(name) && name.startsWith('127.'));
}

export function contradictions(file: ConfigDraft): Problem[] {
  const problems: Problem[] = [];
  if (file.upstreams !== undefined && Object.keys(file.upstreams).length === 0) {
    problems.push({
      path: ['upstreams'],
      message: 'names no upstream',
      mend: 'add one, such as billing: {document: ./billing.openapi.yaml}',
    });
  }
  const { listen, dangerouslyServeEveryoneWithoutIdentity } = file.server;
  if (!isLoopback(listen.host) && !dangerouslyServeEveryoneWithoutIdentity) {
    problems.push({
      path: ['server', 'listen'],
      message:
        'can be reached from other machines, but identity is none: anyone who reaches it could call every tool with your credentials',
      mend: 'listen on 127.0.0.1 behind a proxy that identifies callers, or, if the network itself keeps strangers out, set server.dangerouslyServeEveryoneWithoutIdentity: true',
    });
  }
  if (new Set(file.contracts).size < file.contracts.length) {
    problems.push({ path: ['contracts'], message: 'names a version twice', mend: 'keep one of the two' });
  }
  file.gates.set.forEach((gate, index) => {
    const { upstream, tool, share, ...rest } = gate;
    const place = { ...rest, ...(upstream !== undefined && { upstream }), ...(tool !== undefined && { tool }) };
    const fault = faultOfChange({ ...place, actor: CONFIGURATION, ...(share !== undefined && { share }) });
    if (fault !== undefined) problems.push({ path: ['gates', 'set', index], message: `can not be: ${fault}` });
    const before = file.gates.set.findIndex((one) => samePlace(one as GatePlace, gate as GatePlace));
    if (before < index)
      problems.push({
        path: ['gates', 'set', index],
        message: 'is about what an earlier one is about',
        mend: 'keep one of the two',
      });
  });
  const isReachedByName = !isLoopback(listen.host) && file.server.publicUrl === undefined;
  for (const [name, upstream] of Object.entries(file.upstreams ?? {})) {
    problems.push(...ofUpstream(['upstreams', name], upstream), ...ofWebhooks(['upstreams', name, 'webhooks'], upstream));
    if (isReachedByName && upstream.webhooks !== undefined && upstream.webhooks.publicUrl === undefined) {
      problems.push({
        path: ['upstreams', name, 'webhooks'],
        message: 'is set, but nothing says where the upstream reaches this gateway',
        mend: 'set server.publicUrl, or webhooks.publicUrl for this upstream alone',
      });
    }
  }
  return problems;
}

function ofUpstream(path: Path, upstream: UpstreamDraft): Problem[] {
  const { min = 0, interval, max = Number.POSITIVE_INFINITY } = upstream.defaults.pace ?? {};
  const disordered = min > (interval ?? min) || (interval ?? min) > max;
  const pace = {
    path: [...path, 'defaults', 'pace'],
    message: 'is not in order',
    mend: 'let min be at most interval, and interval at most max',
  };
  const credentials = Object.entries(upstream.credentials).flatMap(([scheme, credential]) =>
    ofCredential([...path, 'credentials', scheme], credential),
  );
  return disordered ? [pace, ...credentials] : credentials;
}

/** Who could change an answer on its way could make keys of their own. */
function ofWebhooks(path: Path, { webhooks }: UpstreamDraft): Problem[] {
  return (['keySets', 'allowedOrigins'] as const).flatMap((member) =>
    (webhooks?.[member] ?? []).flatMap((written, index): Problem[] => {
      const { protocol, hostname } = new URL(written);
      if (protocol === 'https:' || isLoopback(hostname)) return [];
      const message = 'is not https: who stands on the way could put keys of their own there';
      return [{ path: [...path, member, index], message, mend: 'write https://' }];
    }),
  );
}

function ofCredential(path: Path, credential: CredentialFile): Problem[] {
  const { env, file, username, password, header, query } = credential;
  const problems: Problem[] = [];
  const basic = username !== undefined || password !== undefined;
  const ways = [env !== undefined, file !== undefined, basic].filter(Boolean).length;
  if (ways === 0) problems.push({ path, message: 'does not say where the secret is', mend: SECRET_MEND });
  if (ways > 1)
    problems.push({
      path,
      message: 'says more than once where the secret is',
      mend: 'keep one of env, file, or username with password',
    });
  if (basic && (username === undefined || password === undefined)) {
    problems.push({
      path,
      message: `has a ${username === undefined ? 'password but no username' : 'username but no password'}`,
      mend: 'give both',
    });
  }
  if ((header !== undefined && query !== undefined) || (basic && (header ?? query) !== undefined)) {
    problems.push({
      path,
      message: 'says more than once where the secret is sent',
      mend: 'keep one of header, query, or username with password',
    });
  }
  for (const [name, place] of [
    ['username', username],
    ['password', password],
  ] as const) {
    if (place !== undefined && (place.env === undefined) === (place.file === undefined)) {
      problems.push({ path: [...path, name], message: 'must say where the secret is, once', mend: SECRET_MEND });
    }
  }
  return problems;
}

/** What works, but that an operator should have meant. */
export function unwise(file: ConfigDraft): Problem[] {
  const problems: Problem[] = [];
  const { listen, publicUrl, allowedHosts, dangerouslyServeEveryoneWithoutIdentity } = file.server;
  const open = !isLoopback(listen.host);
  if (open && dangerouslyServeEveryoneWithoutIdentity) {
    problems.push({
      path: ['server', 'dangerouslyServeEveryoneWithoutIdentity'],
      message: 'is on: whoever reaches this address can call every tool with your credentials',
      mend: 'make sure that the network keeps strangers out',
    });
  }
  if (open && publicUrl === undefined && allowedHosts.length === 0) {
    problems.push({
      path: ['server', 'listen'],
      message: 'can be reached from other machines, but only requests to loopback names will be answered',
      mend: 'set server.publicUrl or server.allowedHosts',
    });
  }
  if (publicUrl !== undefined && new URL(publicUrl).protocol === 'http:' && !isLoopback(new URL(publicUrl).hostname)) {
    problems.push({
      path: ['server', 'publicUrl'],
      message: 'is not https: what passes can be read on the way',
      mend: 'put TLS in front and write https://',
    });
  }
  if (open && file.metrics !== undefined && file.metrics.token === undefined) {
    problems.push({
      path: ['metrics'],
      message: 'can be read by whoever reaches this address',
      mend: 'set metrics.token, or make sure that the network keeps strangers out',
    });
  }
  if (file.ledger.path === ':memory:') {
    problems.push({
      path: ['ledger'],
      message: 'forgets every operation when the gateway stops',
      mend: 'write sqlite:./data/longshore.db',
    });
  }
  return problems;
}
