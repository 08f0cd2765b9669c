/**
 * The folder of a test decides on which stores it runs (docs/testing.md). A new area or file needs no line here. Each
 * constant lists globs from the root of the repository.
 */

/** Tests that run on SQLite and on PostgreSQL. */
export const onBothStores: readonly string[] = [
  'test/domain/**/*.test.ts',
  'test/server/operations/**/*.test.ts',
  'test/server/store/contract/**/*.test.ts',
  'test/**/both-stores/**/*.test.ts',
]

/** Tests that run on PostgreSQL only. */
export const onPostgresAlone: readonly string[] = ['test/**/postgres/**/*.test.ts']

/**
 * Tests in the folders above that do not run on PostgreSQL: tests of SQLite only, and tests that need no second store.
 */
export const notOnPostgres: readonly string[] = ['test/**/sqlite/**/*.test.ts', 'test/**/one-store/**/*.test.ts']

/**
 * Test files that take several minutes. A long file that begins last would keep one process busy after all other files
 * have ended.
 */
export const begunFirst: readonly string[] = ['test/schemathesis/*.test.ts', 'test/browser/*.test.ts']
