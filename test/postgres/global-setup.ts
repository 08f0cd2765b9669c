import type { TestProject } from 'vitest/node'
import { Client } from 'pg'
import { startServer } from './server.ts'

/** The facts of the server for tests: its URL, or the reason of its absence. */
export type Postgres =
  | {
      readonly url: string
      /** The prefix of the schema names of a run. */
      readonly prefix: string
    }
  | { readonly missing: string }

declare module 'vitest' {
  interface ProvidedContext {
    readonly postgres: Postgres
  }
}

/**
 * Provides one server for all tests of a run: the server of `NINEFOLD_TEST_POSTGRES_URL`, whose user must be allowed to
 * create schemas, or otherwise a new server. Returns a function that cleans up after the run. If no server can start,
 * returns undefined, and the tests are skipped with the reason.
 */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const prefix = `ninefold_test_${process.pid}`
  const given = process.env['NINEFOLD_TEST_POSTGRES_URL']
  if (given !== undefined) {
    project.provide('postgres', { url: given, prefix })
    return () => dropSchemas(given, prefix)
  }
  try {
    const server = await startServer()
    project.provide('postgres', { url: server.url, prefix })
    return () => server.stop()
  } catch (error) {
    const missing = error instanceof Error ? error.message : String(error)
    console.error(`postgres: no server for the tests, so they are skipped: ${missing}`)
    project.provide('postgres', { missing })
    return undefined
  }
}

/**
 * Drops the schemas of a run. Tests give borrowed schemas back; the run keeps the schemas for further tests and drops
 * them at its end.
 */
async function dropSchemas(url: string, prefix: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const sql = `SELECT quote_ident(nspname) FROM pg_namespace WHERE nspname ~ '^${prefix}_'`
    const { rows } = await client.query<[string]>({ text: sql, rowMode: 'array' })
    for (const [name] of rows) await client.query(`DROP SCHEMA ${name} CASCADE`)
  } finally {
    await client.end()
  }
}
