import { describe, expect, expectTypeOf, test } from 'vitest'
import { isEnded, mayBecome, OperationFailed, operationTransitions, stateOf, wait } from '../../runtime/operations.ts'
import type { OperationRecord, OperationState, WaitOptions } from '../../runtime/operations.ts'
import { createTransport } from '../../runtime/transport.ts'
import { fakeTiming } from './fake-time.ts'
import { json, listen } from './listening.ts'
import { route } from './routes.ts'

interface MadeOperation extends OperationRecord {
  readonly errors?: readonly {
    readonly code: number
    readonly description: string
    readonly reason: 'NO_ROOM' | 'NO_TIME'
  }[]
}

const getOperation = route<{ id: string }, MadeOperation>('GET', ['/v1/operations/', 'id'])
const record = (state: string, more: Partial<MadeOperation> = {}): MadeOperation => ({
  id: 'o/1',
  status: `MADE_OPERATION_STATUS_${state}`,
  ...more,
})
const failed = record('ERROR', { errors: [{ code: 7_001_001, description: 'no room left', reason: 'NO_ROOM' }] })

/**
 * Waits for an operation at a server that responds with these records in order, and then always with the last record.
 * Returns the result or the error, the pauses in milliseconds, and the requested targets.
 */
async function waiting(
  records: readonly MadeOperation[],
  options: WaitOptions<MadeOperation> & { readonly retryAfter?: string } = {},
  from: MadeOperation | string = 'o/1',
) {
  let polls = 0
  await using server = await listen((_, response) => {
    const headers: Record<string, string> = options.retryAfter ? { 'retry-after': options.retryAfter } : {}
    json(response, 200, records[Math.min(polls++, records.length - 1)], headers)
  })
  const timing = fakeTiming()
  const transport = createTransport({ baseUrl: server.baseUrl, timing })
  const result = await wait(transport, getOperation, from, options).catch((error: unknown) => error)
  return { result, slept: timing.slept, targets: server.received.map(({ target }) => target) }
}

describe('wait', () => {
  test('returns a DONE record without a call', async () => {
    const done = record('DONE')
    expect(await waiting([], {}, done)).toEqual({ result: done, slept: [], targets: [] })
  })

  test('polls a stored id until DONE, and reports every record', async () => {
    const records = [record('PENDING'), record('RUNNING', { progress: 50 }), record('DONE', { progress: 100 })]
    const seen: MadeOperation[] = []
    const { result, slept, targets } = await waiting(records, { onProgress: read => seen.push(read) })
    expect(result).toEqual(records[2])
    expect(seen).toEqual(records)
    expect(slept).toEqual([250, 500])
    expect(targets).toEqual(Array.from({ length: 3 }, () => '/v1/operations/o%2F1'))
  })

  test('continues from a running record, even through an unknown state', async () => {
    const { result } = await waiting([record('PAUSED'), record('DONE')], {}, record('PENDING'))
    expect(result).toEqual(record('DONE'))
  })

  test('increases its delay up to five seconds', async () => {
    const { slept } = await waiting([...Array.from({ length: 7 }, () => record('RUNNING')), record('DONE')])
    expect(slept).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000])
  })

  test('waits as long as Retry-After requests', async () => {
    expect((await waiting([record('RUNNING'), record('DONE')], { retryAfter: '3' })).slept).toEqual([3000])
  })

  test('throws OperationFailed with the record at ERROR', async () => {
    for (const start of ['o/1', failed]) {
      const { result } = await waiting([failed], {}, start)
      expect(result).toBeInstanceOf(OperationFailed)
      expect(result).toMatchObject({
        message: 'no room left',
        reason: 'NO_ROOM',
        record: failed,
        errors: failed.errors,
      })
    }
  })

  test('throws OperationFailed at an ERROR without further members', async () => {
    expect((await waiting([record('ERROR')])).result).toMatchObject({
      message: 'operation o/1 failed',
      reason: undefined,
      errors: [],
    })
  })

  test('narrows by the reasons of the record', () => {
    expectTypeOf<OperationFailed<MadeOperation>['reason']>().toEqualTypeOf<'NO_ROOM' | 'NO_TIME' | undefined>()
  })

  test('ends with DEADLINE_EXCEEDED instead of a poll after its time limit', async () => {
    const { result, slept } = await waiting([record('RUNNING')], { timeoutMs: 2000 })
    expect(result).toMatchObject({ reason: 'DEADLINE_EXCEEDED', message: 'operation o/1 took longer than 2000 ms' })
    expect(slept).toEqual([250, 500, 1000])
  })

  test('ends with the reason of the signal', async () => {
    const controller = new AbortController()
    const stop = () => controller.abort('stop')
    expect((await waiting([record('RUNNING')], { signal: controller.signal, onProgress: stop })).result).toBe('stop')
  })
})

describe('the states of an operation', () => {
  const states = Object.keys(operationTransitions).filter(
    (name): name is OperationState => name in operationTransitions,
  )

  test.each(states.flatMap(from => states.map(to => [from, to] as const)))(
    '%s to %s is legal forward only',
    (from, to) => {
      const order = { PENDING: 0, RUNNING: 1, DONE: 2, ERROR: 2 }
      expect(mayBecome(from, to)).toBe(order[to] > order[from])
    },
  )

  test.each([
    ['TAXONOMY_OPERATION_STATUS_DONE', 'DONE', true],
    ['IAM_OPERATION_STATUS_ERROR', 'ERROR', true],
    ['RUNNING', 'RUNNING', false],
    ['X_PENDING', 'PENDING', false],
    ['X_ABANDONED', undefined, false],
    ['constructor', undefined, false],
    ['', undefined, false],
  ])('%s', (status, state, ended) => {
    expect([stateOf({ id: 'o', status }), isEnded({ id: 'o', status })]).toEqual([state, ended])
  })
})
