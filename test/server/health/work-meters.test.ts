import { describe, expect, it } from 'vitest'
import { again, done, failed, type Procedure } from '../../../domain/ports/procedures.ts'
import { engineUnavailable } from '../../../output/shared/errors.ts'
import { Backlog } from '../../../server/health/backlog.ts'
import { StepMeter } from '../../../server/meters/step-meter.ts'
import { startWorkers } from '../../../server/operations/workers.ts'
import { ended, testBench } from '../operations/harness.ts'

type Run = Procedure<unknown>['steps'][number]['run']

const procedure = (name: string, run: Run): Procedure<unknown> => ({
  kind: `sample.${name}`,
  steps: [{ name: 'only', run }],
})

describe('the steps of durable work', () => {
  it('are counted by procedure and result', async () => {
    let turns = 0
    const turn = (): number => (turns += 1)
    const here = await testBench([
      procedure('good', async () => done()),
      procedure('patient', async () => (turn() === 1 ? again(0) : done())),
      procedure('bad', async ({ attempt }) => {
        if (attempt === 1) throw engineUnavailable('not now', { retryAfterSeconds: 1 })
        throw new Error('a defect')
      }),
      procedure('refused', async () => failed({ reason: 'X', code: 1, description: 'no' })),
    ])
    for (const kind of ['good', 'good', 'patient', 'bad', 'refused']) await here.begin(`sample.${kind}`)
    const steps = new StepMeter()
    const workers = await startWorkers({ ...here, steps }, [], { pollMs: 20, retryDelaysMs: [1] })
    await ended(here)
    await workers.stop()
    const counts = Object.fromEntries(
      steps.counts().map(({ labels: { kind, outcome }, value }) => [`${kind} ${outcome}`, value]),
    )
    expect(counts).toEqual({
      'sample.good done': 2,
      'sample.patient again': 1,
      'sample.patient done': 1,
      'sample.bad retry': 1,
      'sample.bad failed': 1,
      'sample.refused failed': 1,
    })
    const sums = steps.durations().map(({ buckets }) => buckets.counts.reduce((a, b) => a + b))
    expect(sums.toSorted()).toEqual([1, 2, 2, 2])
  })
})

describe('the backlog', () => {
  it('has the numbers of waiting and running operations, and the wait of the oldest', async () => {
    const released = Promise.withResolvers<void>()
    const reached = Promise.withResolvers<void>()
    const here = await testBench([
      procedure('slow', async () => {
        reached.resolve()
        await released.promise
        return done()
      }),
    ])
    let laterMs = 0
    const backlog = new Backlog(here.store, { ...here.clock, now: () => here.clock.now() + laterMs })
    const look = async (): Promise<readonly (number | boolean)[]> => {
      await backlog.refresh()
      return [backlog.pending, backlog.running, Math.floor(backlog.oldestPendingSeconds / 60), backlog.isStoreUp]
    }
    expect(backlog.isStoreUp).toBe(false)
    expect(await look()).toEqual([0, 0, 0, true])
    for (let count = 0; count < 3; count += 1) await here.begin('sample.slow')
    laterMs = 120_000
    expect(await look()).toEqual([3, 0, 2, true])
    const workers = await here.work({ concurrency: 1 })
    await reached.promise
    expect(await look()).toEqual([2, 1, 2, true])
    released.resolve()
    await ended(here)
    expect(await look()).toEqual([0, 0, 0, true])
    await workers.stop()
  })

  it('is not a number while the store does not respond', async () => {
    const fault = (): Promise<never> => Promise.reject(new Error('no connection'))
    const here = await testBench([])
    const broken = new Proxy(here.store, {
      get: (store, name) => (name === 'count' ? fault : Reflect.get(store, name)),
    })
    const backlog = new Backlog(broken, here.clock)
    await backlog.refresh()
    expect([backlog.isStoreUp, backlog.pending, backlog.running]).toEqual([false, Number.NaN, Number.NaN])
  })
})
