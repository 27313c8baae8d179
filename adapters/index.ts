// Every adapter that comes with Longshore. Adding one is its folder and one line here.

import type { Adapter } from '../src/core/adapter.ts';
import { aip151 } from './aip-151/adapter.ts';
import { http202 } from './http-202/adapter.ts';
import { webhook } from './webhook/adapter.ts';

export const adapters: readonly Adapter[] = [http202, aip151, webhook];
