import { describe, expect, it } from 'vitest'
import type { Effect } from '../../../domain/ports/operations.ts'
import type { Collection } from '../../../domain/ports/store.ts'
import { done } from '../../../domain/ports/procedures.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { ApiError } from '../../../runtime/errors.ts'
import { toStatus } from '../../../runtime/status.ts'
import { outbox } from '../../../domain/resources/activity-outbox.ts'
import { operationsCollection } from '../../../server/operations/area-records.ts'
import { hasUsedKey, rememberedKeys } from '../../../server/operations/idempotency.ts'
import { sweep } from '../../../server/operations/sweep.ts'
import { works } from '../../../server/operations/work.ts'
import { crates, operationFields, sample, type SampleArea, type SampleOperation } from '../sample-area.ts'
import { testStore } from '../store/harness.ts'
import { benchCollections, workBench, type WorkBench } from './work-bench.ts'

const day = 24 * 60 * 60 * 1000
const noon = Date.parse('2026-03-01T12:00:00Z')
const collection = operationsCollection<SampleOperation>('sample', operationFields)

interface Bench extends Pick<WorkBench, 'store' | 'operations'> {
  /** Creates a crate; returns the text of the response. */
  create(context: CallContext, name?: string): Promise<string>
}

async function bench(): Promise<Bench> {
  const procedure = { kind: 'sample.move', steps: [{ name: 'move', run: async () => done() }] }
  const { store, operations, clock } = workBench(await testStore(crates, ...benchCollections), [procedure])
  return {
    store,
    operations,
    async create(context, name = 'crate') {
      const id = clock.newId()
      const answer = await operations.mutate(context, { body: { name } }, async tx => {
        await tx.insert(crates, { id, name })
        return effect(id)
      })
      return answer.text
    },
  }
}

const effect = (resourceId: string, more: Partial<Effect<SampleArea>> = {}): Effect<SampleArea> => ({
  type: 'CREATE',
  resourceType: 'sample.crates',
  resourceId,
  scope: { type: 'PLATFORM', id: '' },
  ...more,
})

const call = (more: Partial<CallContext> = {}): CallContext => ({
  principal: { id: 'p-1', kind: 'user' },
  method: 'POST',
  path: '/sample/v1/crates',
  requestId: 'r-1',
  traceId: '0af7651916cd43dd8448eb211c80319c',
  idempotencyKey: undefined,
  clientAddress: '127.0.0.1',
  signal: new AbortController().signal,
  now: noon,
  ...more,
})

describe('the record of a mutation', () => {
  it('has the action, the caller and the time, with the prefix of the area', async () => {
    const { operations, store } = await bench()
    const scope = { type: 'WORKSPACE', id: 'w-1' } as const
    const warnings = [{ code: 5_001_091, description: 'nearly full' }]
    const { text } = await operations.mutate(call(), {}, async () => effect('c-1', { type: 'MOVE', scope, warnings }))
    const record: unknown = JSON.parse(text)
    expect(record).toEqual({
      id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-7/),
      resource_id: 'c-1',
      resource_type: 'sample.crates',
      operation_type: 'SAMPLE_OPERATION_TYPE_MOVE',
      status: 'SAMPLE_OPERATION_STATUS_DONE',
      insert_time: '2026-03-01T12:00:00.000Z',
      start_time: '2026-03-01T12:00:00.000Z',
      end_time: '2026-03-01T12:00:00.000Z',
      errors: [],
      warnings,
      progress: 100,
      scope_type: 'SAMPLE_SCOPE_TYPE_WORKSPACE',
      scope_id: 'w-1',
      principal_id: 'p-1',
      trace_id: '0af7651916cd43dd8448eb211c80319c',
    })
    const stored = await store.find(operations.collection, { resource_id: 'c-1' })
    expect(stored?.text.text).toBe(text)
  })

  it('names the system principal for an anonymous caller', async () => {
    const { create } = await bench()
    const record: unknown = JSON.parse(await create(call({ principal: undefined })))
    expect(record).toMatchObject({ principal_id: '00000000-0000-7000-8000-000000000001' })
  })

  it('is written together with the change or not at all', async () => {
    const { operations, store } = await bench()
    const failing = operations.mutate(call({ idempotencyKey: 'k' }), {}, async tx => {
      await tx.insert(crates, { id: 'c-1', name: 'x' })
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    const unfit = operations.mutate(call(), {}, async tx => {
      await tx.insert(crates, { id: 'c-1', name: 'x' })
      return effect('')
    })
    await expect(unfit).rejects.toThrow('does not fit its schema: resource_id must be set')
    const written: readonly Collection<never>[] = [crates, collection, rememberedKeys, outbox, works]
    expect(await Promise.all(written.map(each => store.count(each)))).toEqual([0, 0, 0, 0, 0])
  })

  it('is PENDING while work is left, and a repeated call returns its progress', async () => {
    const { operations, store } = await bench()
    const moving = async (): Promise<Effect<SampleArea>> =>
      effect('c-1', { procedure: { kind: 'sample.move', input: { to: 'x' } } })
    const { text } = await operations.mutate(call({ idempotencyKey: 'k' }), {}, moving)
    const pending: SampleOperation = JSON.parse(text)
    expect(pending).toMatchObject({ status: 'SAMPLE_OPERATION_STATUS_PENDING', progress: 0 })
    expect(pending).not.toHaveProperty('start_time')
    expect((await store.get(works, pending.id))?.value).toMatchObject({
      input: { to: 'x' },
      principal_id: 'p-1',
      trace_id: '0af7651916cd43dd8448eb211c80319c',
    })
    await store.tx(tx => operations.cancel(tx, pending.id, 'no need'))
    const again = await operations.mutate(call({ idempotencyKey: 'k' }), {}, moving)
    expect(JSON.parse(again.text)).toMatchObject({ id: pending.id, status: 'SAMPLE_OPERATION_STATUS_ERROR' })
  })

  it('of work without a request belongs to the system principal, without a trace', async () => {
    const { operations, store } = await bench()
    const id = await store.tx(tx => operations.begin(tx, effect('c-1')))
    expect((await store.get(collection, id))?.value).toMatchObject({
      status: 'SAMPLE_OPERATION_STATUS_DONE',
      principal_id: '00000000-0000-7000-8000-000000000001',
      trace_id: '',
    })
  })
})

describe('an Idempotency-Key', () => {
  it('repeated with the same request returns the same operation and changes nothing', async () => {
    const { create, store } = await bench()
    const first = await create(call({ idempotencyKey: 'k' }))
    const again = await create(call({ idempotencyKey: 'k', now: noon + day - 1 }))
    expect(again).toBe(first)
    expect(await store.count(crates)).toBe(1)
  })

  it('returns the present state of the operation', async () => {
    const { create, store } = await bench()
    const first = await create(call({ idempotencyKey: 'k' }))
    await store.tx(async tx => {
      const found = await tx.find(collection, {})
      if (found) await tx.update(collection, found.id, { ...found.value, status: 'CHANGED' }, found.version)
    })
    const again = await create(call({ idempotencyKey: 'k' }))
    expect(again).not.toBe(first)
    expect(JSON.parse(again)).toMatchObject({ status: 'CHANGED' })
  })

  it('in concurrent calls has one effect and one response', async () => {
    const { create, store } = await bench()
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(call({ idempotencyKey: 'k' }))))
    expect(new Set(answers).size).toBe(1)
    expect(await store.count(crates)).toBe(1)
  })

  it('repeated with another request is refused, in the name of the called area', async () => {
    const { create, store } = await bench()
    await create(call({ idempotencyKey: 'k' }), 'one')
    const error: unknown = await create(call({ idempotencyKey: 'k' }), 'two').catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ApiError)
    expect(error instanceof ApiError && toStatus(error, sample)).toMatchObject({
      code: 3,
      details: [
        { reason: 'IDEMPOTENCY_KEY_REUSED', domain: 'sample', metadata: { code: '5000016' } },
        { field_violations: [{ field: 'Idempotency-Key' }] },
      ],
    })
    expect(await store.count(crates)).toBe(1)
  })

  it('ignores the order of members', async () => {
    const { operations } = await bench()
    const context = call({ idempotencyKey: 'k' })
    const first = await operations.mutate(context, { a: 1, b: { c: 2, d: 3 } }, async () => effect('c-1'))
    const again = await operations.mutate(context, { b: { d: 3, c: 2 }, a: 1 }, async () => effect('c-2'))
    expect(again.text).toBe(first.text)
  })

  it.each<[string, Partial<CallContext>]>([
    ['another principal', { principal: { id: 'p-2', kind: 'user' } }],
    ['another method', { method: 'PATCH' }],
    ['another path', { path: '/sample/v1/crates/%61' }],
    ['another key', { idempotencyKey: 'K' }],
    ['the day after', { now: noon + day }],
  ])('is new for %s', async (_name, more) => {
    const { create, store } = await bench()
    await create(call({ idempotencyKey: 'k' }))
    await create(call({ idempotencyKey: 'k', ...more }))
    expect(await store.count(crates)).toBe(2)
  })

  it('has no effect for an anonymous caller', async () => {
    const { create, store } = await bench()
    await create(call({ idempotencyKey: 'k', principal: undefined }))
    await create(call({ idempotencyKey: 'k', principal: undefined }))
    expect(await store.count(crates)).toBe(2)
    expect(await store.count(rememberedKeys)).toBe(0)
  })

  it('leaves neither itself nor the request in the store', async () => {
    const { create, store } = await bench()
    await create(call({ idempotencyKey: 'a-key-to-guess' }), 'a-secret-name')
    const row = await store.find(rememberedKeys, {})
    expect(row?.text.text).not.toMatch(/a-key-to-guess|a-secret-name/)
    expect(row?.value.request_mark).toMatch(/^[\da-f]{64}$/)
  })
})

describe('sweeping', () => {
  const swept = [operationsCollection<{ readonly id: string }>('sample', operationFields)]

  it('deletes expired keys and operations that ended over 30 days ago, and nothing else', async () => {
    const { create, store } = await bench()
    for (let i = 0; i < 250; i += 1) await create(call({ idempotencyKey: `old ${i}`, now: noon - 400 * day }))
    await create(call({ idempotencyKey: 'last month', now: noon - 29 * day }))
    await create(call({ idempotencyKey: 'today', now: noon - 1 }))
    await sweep({ signal: new AbortController().signal, tx: fn => store.tx(fn) }, noon, swept)
    expect(await store.count(rememberedKeys)).toBe(1)
    expect(await store.count(collection)).toBe(2)
  })

  it('keeps a key for the calls that began before its expiry', async () => {
    const { create, store } = await bench()
    const first = call({ idempotencyKey: 'yesterday', now: noon - day })
    await create(first)
    await sweep({ signal: new AbortController().signal, tx: fn => store.tx(fn) }, noon + 1, swept)
    const late = { ...first, now: noon - 1 }
    expect(await hasUsedKey(store, late)).toBe(true)
    expect(await hasUsedKey(store, { ...first, now: noon })).toBe(false)
    await create(late)
    expect(await store.count(collection)).toBe(1)
  })

  it('keeps running operations', async () => {
    const { operations, store } = await bench()
    const old = call({ now: noon - 1000 * day })
    await operations.mutate(old, {}, async () => effect('c-1', { procedure: { kind: 'sample.move', input: {} } }))
    await sweep({ signal: new AbortController().signal, tx: fn => store.tx(fn) }, noon, swept)
    expect(await store.count(collection)).toBe(1)
  })

  it('ends between two batches when its process stops', async () => {
    const { create, store } = await bench()
    for (let i = 0; i < 250; i += 1) await create(call({ now: noon - 400 * day }))
    const turn = new AbortController()
    const tx: WorkBench['store']['tx'] = async fn => {
      const result = await store.tx(fn)
      if ((await store.count(collection)) < 250) turn.abort(new Error('enough'))
      return result
    }
    await expect(sweep({ signal: turn.signal, tx }, noon, swept)).rejects.toThrow('enough')
    expect(await store.count(collection)).toBe(150)
  })
})
