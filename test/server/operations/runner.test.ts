import { describe, expect, it } from 'vitest'
import { again, done, failed, type Procedure, type StepContext } from '../../../domain/ports/procedures.ts'
import { engineUnavailable, quotaExceeded } from '../../../output/shared/errors.ts'
import { createClock } from '../../../server/clock.ts'
import { works } from '../../../server/operations/work.ts'
import { ended, testBench, within } from './harness.ts'
import { count, effect, platform, type WorkBench } from './work-bench.ts'

const bench = (...procedures: readonly Procedure<unknown>[]): Promise<WorkBench> => testBench(procedures)

type Run = (context: StepContext<unknown>) => Promise<ReturnType<typeof done>>

const oneStep = (run: Run, more: Partial<Procedure<unknown>> = {}): Procedure<unknown> => ({
  kind: 'sample.one',
  steps: [{ name: 'only', run }],
  ...more,
})

describe('an operation with work', () => {
  it('is PENDING until it is claimed, then RUNNING, then DONE, and its steps run once each in order', async () => {
    const reached = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const steps = ['a', 'b', 'c'].map(name => ({
      name,
      run: async () => {
        if (name === 'b') reached.resolve()
        if (name === 'b') await released.promise
        return done(tx => count(tx, name))
      },
    }))
    const here = await bench({ kind: 'sample.three', steps })
    const id = await here.begin('sample.three')
    const pending = await here.record(id)
    expect(pending).toMatchObject({ status: 'SAMPLE_OPERATION_STATUS_PENDING', progress: 0 })
    expect(Object.keys(pending)).not.toContain('start_time')

    await here.work()
    await reached.promise
    const runs = await here.record(id)
    expect(runs).toMatchObject({ status: 'SAMPLE_OPERATION_STATUS_RUNNING', start_time: expect.any(String) })
    expect(Object.keys(runs)).not.toContain('end_time')
    expect(await here.counts()).toEqual({ a: 1 })

    released.resolve()
    await ended(here)
    expect(await here.record(id)).toMatchObject({
      status: 'SAMPLE_OPERATION_STATUS_DONE',
      progress: 100,
      start_time: runs.start_time,
      end_time: expect.any(String),
      errors: [],
    })
    expect(await here.counts()).toEqual({ a: 1, b: 1, c: 1 })
  })

  it('has its caller, its input and its saved state', async () => {
    const seen: unknown[] = []
    const here = await bench({
      kind: 'sample.two',
      steps: [
        {
          name: 'save',
          run: async ({ save, ...context }) => {
            seen.push(context)
            await save({ half: true }, tx => count(tx, 'saved'))
            return done()
          },
        },
        {
          name: 'look',
          run: async ({ checkpoint }) => {
            seen.push(checkpoint)
            return done()
          },
        },
      ],
    })
    await here.work()
    const id = await here.begin('sample.two', { given: 1 }, { type: 'GROUP', id: 'g-1' })
    await ended(here)
    expect(seen).toMatchObject([
      {
        operationId: id,
        input: { given: 1 },
        checkpoint: undefined,
        scope: { type: 'GROUP', id: 'g-1' },
        principalId: '00000000-0000-7000-8000-000000000001',
        traceId: '',
        attempt: 1,
      },
      { half: true },
    ])
    expect(await here.counts()).toEqual({ saved: 1 })
  })

  it('does not begin if its transaction is rolled back, or its procedure is not declared', async () => {
    const here = await bench(oneStep(async () => done()))
    const undone = here.store.tx(async tx => {
      await here.operations.begin(tx, effect('sample.one'))
      throw new Error('no')
    })
    await expect(undone).rejects.toThrow('no')
    await expect(here.begin('sample.other')).rejects.toThrow('no procedure "sample.other" is declared')
    expect(await here.left()).toBe(0)
  })
})

it.each<[string, Procedure<unknown>, string]>([
  ['of another area', { ...oneStep(async () => done()), kind: 'other.one' }, 'must be named "sample.<name>"'],
  ['without steps', { kind: 'sample.none', steps: [] }, 'has no step'],
  [
    'with two steps of one name',
    { kind: 'sample.twice', steps: [...oneStep(async () => done()).steps, ...oneStep(async () => done()).steps] },
    'has two steps of one name',
  ],
])('a procedure %s cannot be declared', async (_name, procedure, message) => {
  await expect(bench(procedure)).rejects.toThrow(message)
})

it('a procedure cannot be declared twice', async () => {
  const procedure = oneStep(async () => done())
  await expect(bench(procedure, procedure)).rejects.toThrow('is declared twice')
})

describe('a step', () => {
  it('that throws UNAVAILABLE is retried three times', async () => {
    const attempts: number[] = []
    const here = await bench(
      oneStep(async ({ attempt, tx }) => {
        attempts.push(attempt)
        await tx(inner => count(inner, 'tried'))
        if (attempt < 4) throw engineUnavailable('the backend is away', { retryAfterSeconds: 1 })
        return done()
      }),
    )
    const id = await here.begin('sample.one')
    await here.work()
    await ended(here)
    expect(attempts).toEqual([1, 2, 3, 4])
    expect(await here.record(id)).toMatchObject({ status: 'SAMPLE_OPERATION_STATUS_DONE' })
    expect(await here.counts()).toEqual({ tried: 4 })
  })

  it('that is still UNAVAILABLE then ends the operation with that error', async () => {
    let runs = 0
    const here = await bench(
      oneStep(async () => {
        runs += 1
        throw engineUnavailable('the backend is away', { retryAfterSeconds: 1 })
      }),
    )
    const id = await here.begin('sample.one')
    await here.work()
    await ended(here)
    expect(runs).toBe(4)
    expect(await here.record(id)).toMatchObject({
      status: 'SAMPLE_OPERATION_STATUS_ERROR',
      end_time: expect.any(String),
      errors: [{ code: 5_000_003, reason: 'ENGINE_UNAVAILABLE', description: 'the backend is away' }],
    })
  })

  it('waits 1, 2 and 4 s before its retries', async () => {
    let time = Date.parse('2026-03-01T12:00:00Z')
    const waits: number[] = []
    const procedure = oneStep(async () => {
      throw engineUnavailable('the backend is away', { retryAfterSeconds: 1 })
    })
    const here = await testBench([procedure], { clock: createClock(() => time) })
    await here.begin('sample.one')
    await here.work({ retryDelaysMs: [1000, 2000, 4000], leaseMs: 60_000 })
    for (let i = 1; i < 4; i += 1) {
      await expect.poll(async () => (await here.store.find(works, {}))?.value.attempt, within).toBe(i + 1)
      const work = await here.store.find(works, {})
      waits.push(Date.parse(work?.value.run_after ?? '') - time)
      time += waits.at(-1) ?? 0
    }
    await ended(here)
    expect(waits).toEqual([1000, 2000, 4000])
  })

  it.each<[string, Error]>([
    ['a defect', new Error('secret detail')],
    [
      'an error of calls',
      quotaExceeded(
        'full',
        { quota: '', limit: '', usage: '', requested: '', scope_type: '', scope_id: '' },
        { quota: [{ subject: '', description: 'full' }] },
      ),
    ],
  ])('that throws %s ends the operation with INTERNAL, and is logged', async (_name, thrown) => {
    const here = await bench(
      oneStep(async () => {
        throw thrown
      }),
    )
    const id = await here.begin('sample.one')
    await here.work()
    await ended(here)
    const { errors } = await here.record(id)
    expect(errors).toEqual([
      { code: 5_000_020, reason: 'INTERNAL', description: `internal error; it is recorded under operation ${id}` },
    ])
    expect(here.log.lines).toContainEqual({
      level: 'error',
      message: 'step failed',
      fields: expect.objectContaining({ err: thrown, work: id, kind: 'sample.one', step: 'only' }),
    })
  })

  it('that failed ends the operation with its errors, and the procedure with its effect on the resource', async () => {
    const errors = [
      { code: 5_001_030, reason: 'CRATE_STUCK', description: 'crate c-1 does not move' },
      { code: 5_001_031, reason: 'CRATE_LOST', description: 'crate c-2 is gone' },
    ] as const
    const here = await bench(
      oneStep(async () => failed(...errors), { failed: (tx, _work, found) => count(tx, found[0].reason) }),
    )
    const id = await here.begin('sample.one')
    await here.work()
    await ended(here)
    expect(await here.record(id)).toMatchObject({ status: 'SAMPLE_OPERATION_STATUS_ERROR', errors })
    expect(await here.counts()).toEqual({ CRATE_STUCK: 1 })
  })

  it('ends with its operation even if the procedure cannot be notified', async () => {
    const here = await bench(
      oneStep(async () => failed({ code: 5_001_030, reason: 'CRATE_STUCK', description: 'stuck' }), {
        failed: async tx => {
          await count(tx, 'undone')
          throw new Error('no')
        },
      }),
    )
    const id = await here.begin('sample.one')
    await here.work()
    await ended(here)
    expect(await here.record(id)).toMatchObject({ errors: [{ reason: 'CRATE_STUCK' }] })
    expect(await here.counts()).toEqual({})
  })

  it('whose result cannot be written fails with the thrown error', async () => {
    const here = await bench(
      oneStep(async () =>
        done(async tx => {
          await count(tx, 'undone')
          throw new Error('no')
        }),
      ),
    )
    const id = await here.begin('sample.one')
    await here.work()
    await ended(here)
    expect(await here.record(id)).toMatchObject({ errors: [{ reason: 'INTERNAL' }] })
    expect(await here.counts()).toEqual({})
  })

  it('that returns `again` runs again, as often as it requests', async () => {
    let runs = 0
    const attempts = new Set<number>()
    const here = await bench(
      oneStep(async ({ attempt }) => {
        attempts.add(attempt)
        runs += 1
        return runs < 5 ? again(1) : done()
      }),
    )
    const id = await here.begin('sample.one')
    await here.work()
    await ended(here)
    expect([runs, [...attempts]]).toEqual([5, [1]])
    expect(await here.record(id)).toMatchObject({ status: 'SAMPLE_OPERATION_STATUS_DONE' })
  })

  it('that runs again after a failure logs the cause', async () => {
    const cause = new Error('the disk is full')
    let runs = 0
    const here = await bench(
      oneStep(async () => {
        runs += 1
        return runs === 1 ? again(1, cause) : done()
      }),
    )
    await here.begin('sample.one')
    await here.work()
    await ended(here)
    const told = here.log.lines.filter(({ message }) => message === 'step is tried again')
    expect(told).toMatchObject([{ level: 'warn', fields: { err: cause, kind: 'sample.one' } }])
  })

  it('that waits for its next run leaves its place to other work', async () => {
    let isSettled = false
    const here = await bench(
      {
        kind: 'sample.waiting',
        steps: [{ name: 'wait', run: async () => (isSettled ? done() : again(5)) }],
      },
      oneStep(async () => {
        isSettled = true
        return done()
      }),
    )
    await here.begin('sample.waiting')
    await here.work({ concurrency: 1 })
    await here.begin('sample.one')
    await ended(here)
  })

  it('of another version of the program ends its operation', async () => {
    const here = await bench(oneStep(async () => done()))
    const id = await here.begin('sample.one')
    await here.store.tx(async tx => {
      const row = await tx.lock(works, id)
      if (row) await tx.update(works, id, { ...row.value, step: 'gone' }, row.version)
    })
    await here.work()
    await ended(here)
    expect(await here.record(id)).toMatchObject({ errors: [{ reason: 'INTERNAL' }] })
  })
})

it('work of a kind that this version does not know stays, and delays no other work', async () => {
  const here = await bench(oneStep(async () => done()))
  await here.begin('sample.one')
  const foreign = await here.begin('sample.one')
  await here.store.tx(async tx => {
    const row = await tx.lock(works, foreign)
    const changes = { kind: 'sample.newer', deadline: '2000-01-01T00:00:00.000Z' }
    if (row) await tx.update(works, foreign, { ...row.value, ...changes }, row.version)
  })
  await here.work()
  await expect.poll(() => here.left(), within).toBe(1)
  expect(await here.record(foreign)).toMatchObject({ status: 'SAMPLE_OPERATION_STATUS_PENDING' })
})

describe('the progress and the warnings of a step', () => {
  it('are stored with the next checkpoint, the progress never falls, and is 100 only at the end', async () => {
    const seen: number[] = []
    const here: WorkBench = await bench(
      oneStep(async ({ operationId = '', progress, save }) => {
        for (const percent of [10.7, 40, 20, Number.NaN, -5, 150]) {
          progress(percent)
          await save(percent)
          seen.push((await here.record(operationId)).progress)
        }
        return done()
      }),
    )
    const id = await here.begin('sample.one')
    await here.work()
    await ended(here)
    expect(seen).toEqual([10, 40, 40, 40, 40, 99])
    expect(await here.record(id)).toMatchObject({ progress: 100 })
  })

  it('do not fall when the step runs again', async () => {
    let runs = 0
    const seen: number[] = []
    const here: WorkBench = await bench(
      oneStep(async ({ operationId = '', progress, save }) => {
        runs += 1
        progress(runs === 1 ? 60 : 30)
        await save({})
        seen.push((await here.record(operationId)).progress)
        return runs === 1 ? again(1) : done()
      }),
    )
    await here.begin('sample.one')
    await here.work()
    await ended(here)
    expect(seen).toEqual([60, 60])
  })

  it('are stored with the heartbeat while the step continues', async () => {
    const released = Promise.withResolvers<void>()
    const here = await bench(
      oneStep(async ({ progress, warn }) => {
        progress(33)
        warn({ code: 5_001_090, description: 'slow' })
        await released.promise
        return done()
      }),
    )
    const id = await here.begin('sample.one')
    await here.work()
    await expect
      .poll(() => here.record(id), within)
      .toMatchObject({ progress: 33, warnings: [{ code: 5_001_090, description: 'slow' }] })
    released.resolve()
    await ended(here)
    expect((await here.record(id)).warnings).toHaveLength(1)
  })

  it('include every warning once, the last of those that replace each other, and at most 100', async () => {
    const here = await bench({
      kind: 'sample.warnings',
      steps: [
        {
          name: 'few',
          run: async ({ warn }) => {
            for (const description of ['one', 'two', 'one']) warn({ code: 1, description })
            for (const description of ['tried once', 'tried twice']) warn({ code: 2, description, isOnly: true })
            return done()
          },
        },
        {
          name: 'many',
          run: async ({ operationId = '', warn, save }) => {
            await save({})
            expect((await here.record(operationId)).warnings).toEqual([
              { code: 1, description: 'one' },
              { code: 1, description: 'two' },
              { code: 2, description: 'tried twice' },
            ])
            for (let i = 0; i < 300; i += 1) warn({ code: 3, description: `no ${i}` })
            warn({ code: 2, description: 'tried thrice', isOnly: true })
            return done()
          },
        },
      ],
    })
    const id = await here.begin('sample.warnings')
    await here.work()
    await ended(here)
    const { errors, warnings } = await here.record(id)
    expect(errors).toEqual([])
    expect(warnings).toHaveLength(100)
    expect(warnings.filter(({ code }) => code === 2)).toEqual([{ code: 2, description: 'tried thrice' }])
  })
})

describe('an operation past its deadline', () => {
  it('ends with OPERATION_DEADLINE_EXCEEDED, and its step is aborted and writes nothing more', async () => {
    let time = Date.parse('2026-03-01T12:00:00Z')
    const entered = Promise.withResolvers<void>()
    const late = Promise.withResolvers<unknown>()
    const procedure = oneStep(
      async ({ signal, tx }) => {
        entered.resolve()
        await new Promise(resolve => signal.addEventListener('abort', resolve))
        await tx(inner => count(inner, 'late')).catch(late.resolve)
        return done(inner => count(inner, 'later'))
      },
      { deadlineMs: 60_500, failed: (tx, { operationId }) => count(tx, `failed ${operationId}`) },
    )
    const here = await testBench([procedure], { clock: createClock(() => time) })
    const id = await here.begin('sample.one')
    await here.work()
    await entered.promise
    time += 60_500
    await ended(here)
    expect(await here.record(id)).toMatchObject({
      status: 'SAMPLE_OPERATION_STATUS_ERROR',
      errors: [
        {
          code: 5_000_022,
          reason: 'OPERATION_DEADLINE_EXCEEDED',
          description: 'the operation did not end within 60.5 s',
        },
      ],
    })
    expect(await late.promise).toMatchObject({ name: 'LeaseLost' })
    expect(await here.counts()).toEqual({ [`failed ${id}`]: 1 })
  })

  it('ends too if no process has claimed it', async () => {
    let time = Date.parse('2026-03-01T12:00:00Z')
    const procedure = oneStep(async () => again(3_600_000))
    const here = await testBench([procedure], { clock: createClock(() => time) })
    const id = await here.begin('sample.one')
    await here.work({ leaseMs: 60_000 })
    await expect.poll(async () => (await here.store.find(works, {}))?.value.state, within).toBe('WAITING')
    time += 15 * 60 * 1000
    await ended(here)
    expect(await here.record(id)).toMatchObject({
      errors: [{ code: 5_000_022, description: 'the operation did not end within 900 s' }],
    })
  })

  it('continues if its procedure has no deadline', async () => {
    const here = await bench(oneStep(async () => done(), { deadlineMs: 'none' }))
    const id = await here.begin('sample.one')
    const row = await here.store.get(works, id)
    expect(Object.keys(row?.value ?? {})).not.toContain('deadline')
  })
})

describe('cancelling', () => {
  const stuck = oneStep(
    async ({ signal }) => {
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      return done()
    },
    { failed: (tx, _work, [{ reason }]) => count(tx, reason) },
  )

  it('ends an operation with its reason, and aborts the step', async () => {
    const here = await bench(stuck)
    const id = await here.begin('sample.one')
    await here.work()
    await expect.poll(async () => (await here.record(id)).status, within).toBe('SAMPLE_OPERATION_STATUS_RUNNING')
    expect(await here.store.tx(tx => here.operations.cancel(tx, id, 'the crate was deleted'))).toBe(true)
    expect(await here.record(id)).toMatchObject({
      status: 'SAMPLE_OPERATION_STATUS_ERROR',
      errors: [{ code: 5_000_021, reason: 'OPERATION_CANCELLED', description: 'the crate was deleted' }],
    })
    expect(await here.counts()).toEqual({ OPERATION_CANCELLED: 1 })
    expect(await here.store.tx(tx => here.operations.cancel(tx, id, 'again'))).toBe(false)
  })

  it('ends an operation that was not claimed', async () => {
    const here = await bench(stuck)
    const id = await here.begin('sample.one')
    expect(await here.store.tx(tx => here.operations.cancel(tx, id, 'no need'))).toBe(true)
    const record = await here.record(id)
    expect(record).toMatchObject({ status: 'SAMPLE_OPERATION_STATUS_ERROR', progress: 0 })
    expect(Object.keys(record)).not.toContain('start_time')
    expect(await here.left()).toBe(0)
  })

  it('leaves ended operations, work without an operation and operations of other areas unchanged', async () => {
    const here = await bench(stuck)
    await here.store.tx(tx => here.operations.follow(tx, { kind: 'sample.one', input: {}, scope: platform }))
    const row = await here.store.find(works, {})
    const cancelled = await here.store.tx(async tx => [
      await here.operations.cancel(tx, row?.id ?? '', 'no'),
      await here.operations.cancel(tx, 'no-such-id', 'no'),
    ])
    expect(cancelled).toEqual([false, false])
    expect(await here.left()).toBe(1)
  })
})

describe('work without an operation', () => {
  it('runs without a record', async () => {
    const seen: unknown[] = []
    const here = await bench(
      oneStep(async ({ operationId, input, warn, progress }) => {
        seen.push(operationId, input)
        progress(50)
        warn({ code: 1, description: 'nobody reads this' })
        return done(tx => count(tx, 'followed'))
      }),
    )
    await here.work()
    await here.store.tx(tx => here.operations.follow(tx, { kind: 'sample.one', input: { a: 1 }, scope: platform }))
    await ended(here)
    expect(seen).toEqual([undefined, { a: 1 }])
    expect(await here.store.count(here.operations.collection)).toBe(0)
    expect(await here.counts()).toEqual({ followed: 1 })
  })

  it('that fails is logged', async () => {
    const here = await bench(oneStep(async () => failed({ code: 5_001_030, reason: 'CRATE_STUCK', description: '' })))
    await here.work()
    await here.store.tx(tx => here.operations.follow(tx, { kind: 'sample.one', input: {}, scope: platform }))
    await ended(here)
    expect(here.log.lines).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        message: 'work ended with errors',
        fields: expect.objectContaining({ errors: [expect.objectContaining({ reason: 'CRATE_STUCK' })] }),
      }),
    )
  })
})

describe('stopping', () => {
  it('aborts steps, releases their leases, and the next start continues their work', async () => {
    const entered = Promise.withResolvers<void>()
    let isFirst = true
    const here = await bench({
      kind: 'sample.two',
      steps: [
        { name: 'one', run: async () => done(tx => count(tx, 'one')) },
        {
          name: 'two',
          run: async ({ signal }) => {
            if (!isFirst) return done(tx => count(tx, 'two'))
            isFirst = false
            entered.resolve()
            await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
            return done(tx => count(tx, 'never'))
          },
        },
      ],
    })
    const id = await here.begin('sample.two')
    const workers = await here.work()
    await entered.promise
    await workers.stop()
    expect((await here.store.get(works, id))?.value).toMatchObject({ state: 'QUEUED', step: 'two', attempt: 1 })
    expect(await here.record(id)).toMatchObject({ status: 'SAMPLE_OPERATION_STATUS_RUNNING' })

    await here.work()
    await ended(here)
    expect(await here.counts()).toEqual({ one: 1, two: 1 })
  })

  it('does not wait forever for a step that ignores its signal', async () => {
    const entered = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const here = await bench(
      oneStep(async () => {
        entered.resolve()
        await released.promise
        return done()
      }),
    )
    await here.begin('sample.one')
    const workers = await here.work({ stopGraceMs: 50 })
    await entered.promise
    await workers.stop()
    expect(await here.left()).toBe(1)
    released.resolve()
    await ended(here)
  })
})
