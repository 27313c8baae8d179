import { defineConfig } from 'vitest/config';

export default defineConfig({ test: { include: ['test/container/*.replay.ts'] } });
