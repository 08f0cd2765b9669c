import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'docs/example-service/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/cases/**', 'test/golden/**/output/**', 'dist/**'],
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
