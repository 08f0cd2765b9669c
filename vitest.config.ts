import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { Sequence } from './scripts/checks/sequence.ts'
import { notOnPostgres, onBothStores, onPostgresAlone } from './scripts/checks/test-folders.ts'

export default defineConfig({
  test: {
    pool: 'forks',
    // One more than cores, since a test now and then waits for a lease, for a process or for the database.
    maxWorkers: availableParallelism() + 1,
    // A process of its own for each file would load and warm up the same modules hundreds of times: a third of the CPU.
    isolate: false,
    sequence: { sequencer: Sequence },
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
          setupFiles: 'test/undo-setup.ts',
          include: ['test/**/*.test.ts', 'docs/example-service/**/*.test.ts'],
          exclude: ['**/node_modules/**', 'test/cases/**', 'test/golden/**/output/**', 'dist/**', ...onPostgresAlone],
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: [...onBothStores, ...onPostgresAlone],
          exclude: [...notOnPostgres],
          globalSetup: 'test/postgres/global-setup.ts',
          setupFiles: ['test/postgres/skip.ts', 'test/undo-setup.ts'],
        },
      },
    ],
  },
})
