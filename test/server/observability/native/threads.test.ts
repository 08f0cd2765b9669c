import { expect, it, onTestFinished } from 'vitest'
import { QueryPool, type CallTerms } from '../../../../server/observability/native/threads/query-pool.ts'
import { Writer } from '../../../../server/observability/native/threads/writer.ts'
import { newWorkspace } from './engines.ts'

/** Returns a program of a thread that does something with each message, which has the number `id` and the call `call`. */
const programThat = (work: string): URL =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { parentPort } from 'node:worker_threads'
      parentPort.on('message', ({ id, call }) => { ${work} })`)}`,
  )

/** A thread that answers each call but those of the kind `fail`, by which it fails. */
const answering = programThat(`
  if (call.kind === 'fail') throw new Error('broken in the thread')
  parentPort.postMessage({ id, result: 'answered' })`)

/** A thread that uses up its memory, in turns after which V8 can end it. */
const greedy = programThat(`
  const all = []
  const use = () => {
    all.push(new Array(100_000).fill(id))
    setImmediate(use)
  }
  use()`)

/** Returns a log, and the lines that were written to it. */
function testLog() {
  const lines: { readonly message: string; readonly err: unknown }[] = []
  const line = (fields: object, message: string): void =>
    void lines.push({ message, err: 'err' in fields ? fields.err : undefined })
  return { lines, log: { error: line, warn: line } }
}

/** A call that a thread ends once the number in `gate` is not 0. */
interface TestCall {
  readonly workspace: string
  readonly kind: string
  readonly gate?: Int32Array<SharedArrayBuffer>
}

/** Returns a gate, and the function that opens it. */
function newGate() {
  const gate = new Int32Array(new SharedArrayBuffer(4))
  const open = (): void => {
    Atomics.store(gate, 0, 1)
    Atomics.notify(gate, 0)
  }
  return { gate, open }
}

/** A thread that answers each call, one after the other, and fails by calls of the kind `fail`. */
const gated = programThat(`
  if (call.gate) Atomics.wait(call.gate, 0, 0)
  if (call.kind === 'fail') throw new Error('broken in the thread')
  parentPort.postMessage({ id, result: call.kind })`)

const poolOf = (program: URL, log: ReturnType<typeof testLog>['log'], size = 1) => {
  const pool = new QueryPool<TestCall>({ root: '', size, program, log })
  onTestFinished(() => pool.end())
  return pool
}

const workspace = newWorkspace()

/** The terms of the calls: no call of the tests takes as long. */
const terms: CallTerms = { timeoutMs: 150_000, signal: new AbortController().signal }

it('a thread that reads and fails is told to the log with its error, and is started again', async () => {
  const { lines, log } = testLog()
  const pool = poolOf(answering, log)
  expect(await pool.call({ workspace, kind: 'ask' }, terms)).toBe('answered')
  const failed = pool.call({ workspace, kind: 'fail' }, terms)
  const waiting = pool.call({ workspace, kind: 'ask' }, terms)
  await expect(failed).rejects.toMatchObject({ reason: 'ENGINE_UNAVAILABLE' })
  expect(await waiting).toBe('answered')
  expect(lines).toEqual([
    {
      message: 'a thread that reads telemetry has failed, and is started again',
      err: expect.objectContaining({ message: 'broken in the thread' }),
    },
  ])
})

it('the next free thread takes a call of a workspace whose calls do not run, before those of one with many slow calls', async () => {
  const pool = poolOf(gated, testLog().log, 2)
  const busy = Array.from({ length: 6 }, () => {
    const { gate, open } = newGate()
    return { open, ended: pool.call({ workspace, kind: 'slow', gate }, terms) }
  })
  const [first] = busy
  const quick = ['one', 'two'].map(kind => pool.call({ workspace: newWorkspace(), kind }, terms))
  expect(pool.load).toEqual({ running: 2, waiting: 6 })
  first?.open()
  expect(await Promise.all(quick)).toEqual(['one', 'two'])
  await expect.poll(() => pool.load).toEqual({ running: 2, waiting: 3 })
  for (const { open } of busy) open()
  expect(await Promise.all(busy.map(({ ended }) => ended))).toEqual(busy.map(() => 'slow'))
})

/**
 * Returns a pool whose only thread runs a call of a kind, and in which as many calls of the workspace wait as may; the
 * first of them has its own terms.
 */
function crowdedPool({ kind = 'slow', first = terms } = {}) {
  const pool = poolOf(gated, testLog().log)
  const { gate, open } = newGate()
  const running = pool.call({ workspace, kind, gate }, terms)
  const [firstWaiting, ...waiting] = Array.from({ length: 64 }, (_, i) =>
    pool.call({ workspace, kind: `waits ${i}` }, i === 0 ? first : terms),
  )
  return { pool, open, running, firstWaiting, waiting }
}

it('more waiting calls of a workspace than 64 are refused, and those of other workspaces and of the platform are not', async () => {
  const { firstWaiting, open, pool, running, waiting } = crowdedPool()
  const refused = { reason: 'RATE_LIMITED', details: { retryAfterSeconds: 1 } }
  await expect(pool.call({ workspace, kind: 'one more' }, terms)).rejects.toMatchObject(refused)
  expect(pool.load).toEqual({ running: 1, waiting: 64 })
  const other = pool.call({ workspace: newWorkspace(), kind: 'other' }, terms)
  const internal = pool.call({ workspace, kind: 'internal' }, { ...terms, isInternal: true })
  // A call of the platform takes no place of a caller.
  await expect(pool.call({ workspace, kind: 'one more' }, terms)).rejects.toMatchObject(refused)
  open()
  expect(await Promise.all([running, other, internal])).toEqual(['slow', 'other', 'internal'])
  expect(await Promise.all([firstWaiting, ...waiting])).toHaveLength(64)
  expect(await pool.call({ workspace, kind: 'later' }, terms)).toBe('later')
})

it.each<readonly [string, () => CallTerms, object]>([
  ['whose caller leaves', () => ({ ...terms, signal: AbortSignal.timeout(200) }), { name: 'TimeoutError' }],
  ['whose time is over', () => ({ ...terms, timeoutMs: 200 }), { reason: 'QUERY_TIMEOUT' }],
])('a waiting call %s gives up its place', async (_what, termsOf, error) => {
  const { firstWaiting, open, pool, running, waiting } = crowdedPool({ first: termsOf() })
  await expect(firstWaiting).rejects.toMatchObject(error)
  const next = pool.call({ workspace, kind: 'next' }, terms)
  await expect(pool.call({ workspace, kind: 'one more' }, terms)).rejects.toMatchObject({ reason: 'RATE_LIMITED' })
  open()
  expect(await next).toBe('next')
  await Promise.all([running, ...waiting])
})

it('a call that fails makes room for a waiting call', async () => {
  const { firstWaiting, open, pool, running, waiting } = crowdedPool({ kind: 'fail' })
  open()
  await expect(running).rejects.toMatchObject({ reason: 'ENGINE_UNAVAILABLE' })
  const next = pool.call({ workspace, kind: 'next' }, terms)
  expect(await Promise.all([firstWaiting, ...waiting, next])).toHaveLength(65)
})

it('more waiting calls of all workspaces than 200 are refused, but for those of the platform', async () => {
  const pool = poolOf(gated, testLog().log)
  const { gate, open } = newGate()
  const running = pool.call({ workspace, kind: 'slow', gate }, terms)
  const waiting = Array.from({ length: 200 }, () => pool.call({ workspace: newWorkspace(), kind: 'waits' }, terms))
  await expect(pool.call({ workspace, kind: 'one more' }, terms)).rejects.toMatchObject({
    reason: 'ENGINE_UNAVAILABLE',
  })
  const internal = pool.call({ workspace, kind: 'internal' }, { ...terms, isInternal: true })
  open()
  expect(await Promise.all([running, ...waiting, internal])).toHaveLength(202)
})

it('a thread that reads and uses up its memory is told to the log', async () => {
  const { lines, log } = testLog()
  const failed = poolOf(greedy, log).call({ workspace, kind: 'ask' }, terms)
  await expect(failed).rejects.toMatchObject({ reason: 'QUERY_LIMIT_EXCEEDED', metadata: { limit: 'memory' } })
  expect(lines).toEqual([
    {
      message: 'a thread that reads telemetry has failed, and is started again',
      err: expect.objectContaining({ code: 'ERR_WORKER_OUT_OF_MEMORY' }),
    },
  ])
})

it('a thread that reads and is ended is not told to the log', async () => {
  const { lines, log } = testLog()
  const pool = poolOf(programThat(''), log)
  const ended = pool.call({ workspace, kind: 'ask' }, terms)
  await pool.end()
  await expect(ended).rejects.toMatchObject({ reason: 'ENGINE_UNAVAILABLE' })
  expect(lines).toEqual([])
})

it('the thread that writes and fails is told to the log with its error, and is started again', async () => {
  const { lines, log } = testLog()
  const writer = new Writer<{ readonly kind: string }>({
    work: 'writes telemetry',
    data: { root: '' },
    program: answering,
    log,
  })
  onTestFinished(() => writer.end())
  await expect(writer.call({ kind: 'fail' })).rejects.toMatchObject({ reason: 'ENGINE_UNAVAILABLE' })
  expect(await writer.call({ kind: 'ask' })).toBe('answered')
  expect(lines).toEqual([
    {
      message: 'the thread that writes telemetry has failed, and is started again',
      err: expect.objectContaining({ message: 'broken in the thread' }),
    },
  ])
})
