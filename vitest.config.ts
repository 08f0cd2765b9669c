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
  'test/server/http/sound-texts.test.ts',
  'test/server/iam/bootstrap.test.ts',
  'test/server/iam/pages.test.ts',
  'test/server/iam/scenarios.test.ts',
  'test/server/iam/secrets.test.ts',
  'test/server/iam/organisation-end.test.ts',
  'test/server/iam/sign-in-races.test.ts',
  'test/server/doctor/inspect-store.test.ts',
  'test/server/doctor/places.test.ts',
]

/** Of these, what is decided from values that any store hands over alike; the contract of stores holds that it does. */
const alikeOnBothStores = [
  'catalogue',
  'climbing',
  'climbing-by-accounts',
  'conditions',
  'decide',
  'effective',
  'email',
  'passwords',
  'permission-set',
  'permissions',
  'picture',
  'predefined-roles',
  'take-over',
  'throttle-rules',
  'token-secrets',
  'user-states',
  'workspace-policies',
].map(name => `test/domain/iam/${name}.test.ts`)

/** Tests of what only several servers on one database do. */
const onPostgres = ['test/server/store/postgres/**/*.test.ts', 'test/server/iam/cut-off*.test.ts']

export default defineConfig({
  test: {
    pool: 'forks',
    // One more than cores, since a test now and then waits for a lease, for a process or for the database.
    maxWorkers: availableParallelism() + 1,
    // A process of its own for each file would load and warm up the same modules hundreds of times: a third of the CPU.
    isolate: false,
    // These end what hangs; on a loaded machine a test of several processes takes minutes.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // A second is the default, which a loaded machine may well take for a turn.
    expect: { poll: { timeout: 60_000, interval: 10 } },
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
          // Plans of SQLite; those of PostgreSQL stand beside its store.
          exclude: ['test/domain/taxonomy/plans.test.ts', ...alikeOnBothStores],
          include: [...onBothStores, ...onPostgres],
          globalSetup: 'test/postgres/global-setup.ts',
          setupFiles: 'test/postgres/skip.ts',
        },
      },
    ],
  },
})
