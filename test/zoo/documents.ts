// What a species publishes: a small document that says nothing of jobs, and an overlay of ours that does.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KEYS_AT, type Zoo } from './keeper.ts';
import type { Species } from './species.ts';

/** `startAsyncSearch` of async-search. */
export const operationOf = ({ name }: Species): string =>
  `start${name.replace(/(^|-)([a-z0-9])/g, (_whole, _dash, letter: string) => letter.toUpperCase())}`;

const RESPONSES = { '200': { description: 'As the service says.' } };

function operation(id: string, path: string, named: 'body' | 'query' | 'nowhere', owner?: string) {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const parameters = inPath.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
  const header = owner === undefined ? [] : [{ name: owner, in: 'header', required: true, schema: { type: 'string' } }];
  const query = { name: 'name', in: 'query', required: false, schema: { type: 'string' } };
  const schema = { type: 'object', properties: { name: { type: 'string' } } };
  return {
    operationId: id,
    summary: id,
    parameters: [...parameters, ...header, ...(named === 'query' && !inPath.includes('name') ? [query] : [])],
    ...(named === 'body' && { requestBody: { required: true, content: { 'application/json': { schema } } } }),
    responses: RESPONSES,
  };
}

function documentOf(species: Species) {
  const paths: Record<string, Record<string, unknown>> = {};
  const add = (id: string, written: string, named: 'body' | 'query' | 'nowhere', owner?: string) => {
    const [method = '', path = ''] = written.split(' ');
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(id, path, named, owner) };
  };
  add(operationOf(species), species.submit, species.submit.startsWith('GET ') ? 'query' : 'body', species.owner);
  for (const [id, written] of Object.entries(species.operations ?? {})) add(id, written, 'nowhere');
  return { openapi: '3.1.0', info: { title: species.name, version: '1' }, paths };
}

function overlayOf({ name, submit, extension }: Species) {
  const [method = '', path = ''] = submit.split(' ');
  const target = `$.paths['${path}'].${method.toLowerCase()}`;
  return { overlay: '1.0.0', info: { title: name, version: '1' }, actions: [{ target, update: { 'x-longshore': extension } }] };
}

/** By what the deliveries of a species are verified. */
function trustOf({ calls }: Species, url: string): string {
  if (calls?.by === 'key') return `{ keySets: ['${url}${KEYS_AT}'] }`;
  return calls?.by === 'notification' ? `{ allowedOrigins: ['${url}'] }` : '{ secrets: [{ env: ZOO_SECRET }] }';
}

/**
 * Writes the files of every species into `folder`, and gives the `upstreams` of a configuration that reads them.
 * @param zoo Where they are, and their other hosts, of which only the vault gets credentials.
 */
export async function publish(
  species: readonly Species[],
  folder: string,
  { url, secure, annex, store, vault }: Pick<Zoo, 'url' | 'secure' | 'annex' | 'store' | 'vault'>,
): Promise<string> {
  await mkdir(folder, { recursive: true });
  const parts = await Promise.all(
    species.map(async (one) => {
      const document = one.document ?? join(folder, `${one.name}.json`);
      const overlay = join(folder, `${one.name}.overlay.json`);
      if (one.document === undefined) await writeFile(document, JSON.stringify(documentOf(one)));
      await writeFile(overlay, JSON.stringify(overlayOf(one)));
      return `  ${one.name}:
    document: ${document}
    overlays: [${overlay}]
    baseUrl: ${one.secure === true ? secure : url}/${one.name}
${one.advertised === undefined ? '' : `    rewrite: [{ from: ${one.advertised}, to: ${url}/${one.name} }]\n`}    credentials: { token: { header: Authorization, env: ZOO_TOKEN } }
    allowedOrigins: ['${annex}', '${store}']
    trustedOrigins: ['${vault}']
    webhooks: ${trustOf(one, url)}
${one.document === undefined ? '' : `    tools: { include: ['${one.submit}'] }\n`}${one.looksPerSecond === undefined ? '' : `    limits: { pollsPerSecondMax: ${one.looksPerSecond} }\n`}    defaults: { pace: { interval: 100ms, min: 50ms, max: 200ms } }
`;
    }),
  );
  return parts.join('');
}
