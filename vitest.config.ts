import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    // More than the two processors of a usual CI machine: many tests wait for processes that they started.
    maxWorkers: 3,
  },
});
