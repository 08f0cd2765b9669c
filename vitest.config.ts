import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/** Tests that run a second time, on PostgreSQL. */
const onBothStores = [
  'test/server/store/contract/**/*.test.ts',
  'test/server/operations/**/*.test.ts',
  'test/server/killed/kill-load.test.ts',
  'test/server/store-time.test.ts',
  'test/domain/iam/**/*.test.ts',
  'test/domain/taxonomy/**/*.test.ts',
  'test/conformance/taxonomy.test.ts',
  'test/server/http/readiness.test.ts',
  'test/server/iam/bootstrap.test.ts',
  'test/server/iam/pages.test.ts',
  'test/server/iam/scenarios.test.ts',
  'test/server/iam/secrets.test.ts',
  'test/server/doctor/inspect-store.test.ts',
  'test/server/doctor/places.test.ts',
]

/** Tests of what only several servers on one database do. */
const onPostgres = ['test/server/store/postgres/**/*.test.ts', 'test/server/iam/cut-off.test.ts']

export default defineConfig({
  test: {
    pool: 'forks',
    // One fewer is the default, which on a machine of two cores is one at a time.
    maxWorkers: availableParallelism(),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'sqlite',
          include: ['test/**/*.test.ts', 'docs/example-service/**/*.test.ts'],
          exclude: ['**/node_modules/**', 'test/cases/**', 'test/golden/**/output/**', 'dist/**', ...onPostgres],
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          // Every statement goes to another process, which shares the machine.
          testTimeout: 180_000,
          // Plans of SQLite; those of PostgreSQL stand beside its store.
          exclude: ['test/domain/taxonomy/plans.test.ts'],
          include: [...onBothStores, ...onPostgres],
          globalSetup: 'test/postgres/global-setup.ts',
          setupFiles: 'test/postgres/skip.ts',
        },
      },
    ],
  },
})
