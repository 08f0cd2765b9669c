import { gunzipSync } from 'node:zlib'
import { expect } from 'vitest'
import type { LogEntry } from '../../../../output/observability/types.ts'

/** Returns the entries of an object. */
export const entriesOf = (object: Uint8Array): LogEntry[] => entriesIn(gunzipSync(object).toString('utf8'))

/** Returns the entries of lines. */
export const entriesIn = (text: string): LogEntry[] =>
  text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))

/** The call that follows the logs of a workspace. */
export type Tail = (body: {
  readonly query: string
  readonly start_time?: string
  readonly cursor?: string
  readonly wait: string
}) => Promise<{ readonly entries: readonly LogEntry[]; readonly cursor: string }>

/** Returns the entries of a query in the order in which they came in. Waits until the logs are served. */
export async function tailedEntries(tail: Tail, query: string, timeout: number): Promise<readonly LogEntry[]> {
  const begin = () => tail({ query, start_time: '2020-01-01T00:00:00Z', wait: '0s' }).catch(() => undefined)
  await expect.poll(begin, { timeout }).toBeDefined()
  const entries: LogEntry[] = []
  let page = await begin()
  while (page && page.entries.length > 0) {
    entries.push(...page.entries)
    page = await tail({ query, cursor: page.cursor, wait: '0s' })
  }
  return entries
}

/** Compares objects of a sink by the numbers of their first entries. */
export const byFirstNumber = (one: string, other: string): number => firstNumber(one) - firstNumber(other)

const firstNumber = (object: string): number => Number(/(\d+)-\d+\.ndjson\.gz$/.exec(object)?.[1])
