import { describe, expect, it } from 'vitest'
import type { CallContext } from '../../../runtime/context.ts'
import { outbox, type OutboxRow } from '../../../domain/resources/activity-outbox.ts'
import { createClock } from '../../../server/clock.ts'
import { sweep } from '../../../server/operations/sweep.ts'
import { testStore } from '../store/harness.ts'
import { testBench } from '../operations/harness.ts'
import { benchCollections, effect, type WorkBench } from '../operations/work-bench.ts'

const noon = Date.parse('2026-03-01T12:00:00Z')
const day = 24 * 60 * 60 * 1000

const call: CallContext = {
  principal: { id: 'p-1', kind: 'service_account' },
  operation: { area: 'sample', operationId: 'moveCrate', permission: 'sample.crates.move' },
  method: 'POST',
  path: '/sample/v1/crates/c-1:move',
  requestId: 'r-1',
  traceId: '0af7651916cd43dd8448eb211c80319c',
  idempotencyKey: 'k',
  clientAddress: '192.0.2.7',
  signal: new AbortController().signal,
  now: noon,
}

const { procedure: _, ...moved } = effect('', {}, { type: 'WORKSPACE', id: 'w-1' })

async function rows({ store }: WorkBench): Promise<OutboxRow[]> {
  const found: OutboxRow[] = []
  for await (const { value } of store.each(outbox)) found.push(value)
  return found
}

describe('a mutation', () => {
  it('is recorded with the caller, the resource and the changed fields, without their values', async () => {
    const here = await testBench([], { clock: createClock(() => noon) })
    const request = { body: { label: 'a-secret-value' } }
    const changed = ['label', 'cpu.count']
    const { text } = await here.operations.mutate(call, request, async () => ({ ...moved, changed }))
    const operation: { readonly id: string } = JSON.parse(text)
    expect(await rows(here)).toEqual([
      {
        id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-7/),
        time: '2026-03-01T12:00:00.000Z',
        category: 'ADMIN_WRITE',
        area: 'sample',
        action: 'moveCrate',
        permission: 'sample.crates.move',
        resource_type: 'sample.crates',
        resource_id: 'c-1',
        scope_type: 'WORKSPACE',
        scope_id: 'w-1',
        organisation_id: '',
        ancestor_ids: [],
        principal_id: 'p-1',
        principal_kind: 'SERVICE_ACCOUNT',
        outcome: 'SUCCEEDED',
        reason: '',
        changed_fields: ['label', 'cpu.count'],
        operation_id: operation.id,
        trace_id: '0af7651916cd43dd8448eb211c80319c',
        request_id: 'r-1',
        client_ip: '192.0.2.7',
      },
    ])
  })

  it('is recorded once, even if it is repeated', async () => {
    const here = await testBench([])
    for (let i = 0; i < 3; i += 1) await here.operations.mutate(call, {}, async () => moved)
    expect(await rows(here)).toHaveLength(1)
  })

  it('that fails leaves no trace', async () => {
    const here = await testBench([])
    const failing = here.operations.mutate(call, {}, async () => {
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await rows(here)).toEqual([])
  })

  it('without a caller is anonymous', async () => {
    const here = await testBench([])
    await here.operations.mutate({ ...call, principal: undefined }, {}, async () => moved)
    expect(await rows(here)).toMatchObject([{ principal_id: '', principal_kind: 'ANONYMOUS', category: 'ADMIN_WRITE' }])
  })

  it('without a request belongs to the platform', async () => {
    const here = await testBench([])
    const id = await here.store.tx(tx => here.operations.begin(tx, moved))
    expect(await rows(here)).toMatchObject([
      {
        category: 'SYSTEM',
        action: 'sample.MOVE',
        permission: '',
        principal_id: '00000000-0000-7000-8000-000000000001',
        principal_kind: 'SYSTEM',
        operation_id: id,
        trace_id: '',
        request_id: '',
        client_ip: '',
      },
    ])
  })
})

it('the outbox keeps the order of the mutations', async () => {
  const here = await testBench([])
  const mutate = async (i: number): Promise<void> => {
    const resourceId = `c-${i}`
    await here.operations.mutate({ ...call, idempotencyKey: undefined }, {}, async () => ({ ...moved, resourceId }))
  }
  await Promise.all(Array.from({ length: 50 }, (_, i) => mutate(i)))
  expect((await rows(here)).map(row => row.resource_id)).toEqual(Array.from({ length: 50 }, (_, i) => `c-${i}`))
})

it('sweeping keeps activities for 400 days', async () => {
  const store = await testStore(...benchCollections)
  for (const age of [401, 399]) {
    const then = await testBench([], { store, clock: createClock(() => noon - age * day) })
    await then.operations.mutate({ ...call, idempotencyKey: undefined }, {}, async () => moved)
  }
  const turn = { signal: new AbortController().signal, tx: store.tx.bind(store) }
  await sweep(turn, noon, [])
  expect(await store.count(outbox)).toBe(1)
})
