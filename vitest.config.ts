import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'docs/example-service/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/cases/**', 'test/golden/**/output/**', 'dist/**'],
    pool: 'forks',
    // One fewer is the default, which on a machine of two cores is one at a time.
    maxWorkers: availableParallelism(),
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
