#!/usr/bin/env node
// Where the process begins; nothing imports this file. What Node has compiled is kept for the next start, which takes less than half
// of the time then, so this comes before everything else: the command line itself is in program.ts.
// The folder is the package's own, where nobody else may write: what lies there is run. Where it can't be written, nothing is kept.

import { enableCompileCache, findPackageJSON, flushCompileCache } from 'node:module';
import { dirname, join } from 'node:path';

const manifest = findPackageJSON(import.meta.url);
if (manifest !== undefined) enableCompileCache(join(dirname(manifest), 'node_modules/.cache/longshore'));
await import('./program.ts');
// Now, since a process that is killed later writes nothing.
flushCompileCache();
