import type { TestProject } from 'vitest/node'
import { startServer } from './server.ts'

/** What the tests know of the server: where it is, or why there is none. */
export type Postgres = { readonly url: string } | { readonly missing: string }

declare module 'vitest' {
  interface ProvidedContext {
    readonly postgres: Postgres
  }
}

/**
 * One server for all tests of a run: that of `NINEFOLD_TEST_POSTGRES_URL`, whose user must be allowed to make schemas,
 * else an own one. Without either the tests are skipped, and say so.
 */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const given = process.env['NINEFOLD_TEST_POSTGRES_URL']
  if (given !== undefined) {
    project.provide('postgres', { url: given })
    return undefined
  }
  try {
    const server = await startServer()
    project.provide('postgres', { url: server.url })
    return () => server.stop()
  } catch (error) {
    const missing = error instanceof Error ? error.message : String(error)
    console.error(`postgres: no server for the tests, so they are skipped: ${missing}`)
    project.provide('postgres', { missing })
    return undefined
  }
}
