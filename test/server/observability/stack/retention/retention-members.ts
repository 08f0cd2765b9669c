import type { SignalInput } from '../../../../../output/observability/types.ts'
import type { RetentionReader } from '../../../../../domain/observability/stacks/retention-reader.ts'
import { openReaders } from '../../../../../server/observability/stack/open-readers.ts'
import { StackCounts } from '../../../../../server/observability/stack/stack-counts.ts'
import { onTestFinished } from 'vitest'
import { servedApi, workspace, type ApiAnswer, type ApiRequest, type ServedApi } from '../api-member.ts'

/** What a member answers at its paths; other paths are absent. */
export type Pages = Readonly<Record<string, ApiAnswer['body'] | ApiAnswer>>

/** Returns what a member with some pages answers. */
export const pagesOf =
  (pages: Pages, absent: ApiAnswer = { status: 404, body: '404 page not found' }) =>
  ({ path }: ApiRequest): ApiAnswer => {
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined
    if (page === undefined) return absent
    return typeof page === 'object' && page !== null && 'body' in page ? page : { body: page }
  }

/** A stack with one member, as the settings of a server open it. */
export interface RetentionStack extends ServedApi {
  /** Returns the retention of a signal in milliseconds. */
  readonly retentionMs: (signal: SignalInput, of?: string) => Promise<number | undefined>
}

/** Opens a stack whose member serves as `serve` says until the end of the running test. */
export async function retentionStack(
  setting: 'logs_url' | 'metrics_url' | 'traces_url',
  serve: (request: ApiRequest) => ApiAnswer,
  { base = '', hasTenants = false } = {},
): Promise<RetentionStack> {
  const served = await servedApi(serve, onTestFinished)
  const settings = [{ name: 'far', multi_tenant: hasTenants, [setting]: served.url + base }]
  const reader: RetentionReader | undefined = openReaders(settings, {
    clock: { now: () => Date.now() },
    counts: new StackCounts(),
  }).get('far')?.retention
  if (reader === undefined) throw new Error('the stack tells no retention')
  const { signal: caller } = new AbortController()
  return { ...served, retentionMs: (signal, of = workspace) => reader.retentionMs(of, signal, caller) }
}

/** Returns an answer of Prometheus with some data. */
export const success = (data: unknown) => ({ body: { status: 'success', data } })
