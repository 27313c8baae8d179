// The real program, but that its ledger and its way out pass through crash points: `node main.ts serve --config …`.
// The modules are put in between while they are loaded, so that the product knows nothing of it.

import { registerHooks } from 'node:module';

const here = (path: string) => new URL(path, import.meta.url).href;
const ROOT = here('../../../src/compose.ts');
const INSTEAD = new Map([
  [here('../../../src/ledger/sqlite.ts'), here('./ledger.ts')],
  [here('../../../src/upstream/client.ts'), here('./transport.ts')],
]);

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    const url = context.parentURL === ROOT ? INSTEAD.get(found.url) : undefined;
    return url === undefined ? found : { ...found, url };
  },
});
await import('../../../src/main.ts');
