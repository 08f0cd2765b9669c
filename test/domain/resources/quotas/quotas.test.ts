import { describe, expect, it } from 'vitest'
import type { Collection, Store } from '../../../../domain/ports/store.ts'
import { bucketKey } from '../../../../domain/resources/quotas/buckets.ts'
import type { Dimensions, QuotaScope } from '../../../../domain/resources/quotas/definitions.ts'
import { Quotas } from '../../../../domain/resources/quotas/quotas.ts'
import { testStore } from '../../../server/store/harness.ts'

interface Barrel {
  readonly id: string
  readonly workspace_id: string
  readonly organisation_id: string
  readonly region: string
}

const barrels: Collection<Barrel> = {
  name: 'test_barrels',
  id: 'id',
  columns: { workspace_id: 'STRING', organisation_id: 'STRING', region: 'STRING' },
  indexes: [['workspace_id', 'region'], ['organisation_id']],
}

const definition = (id: string, scope: QuotaScope['type'], dimensions: readonly string[], default_limit: number) => ({
  id,
  scope,
  dimensions,
  default_limit,
  counted: barrels,
  display_name: id,
  description: id,
  unit: '1',
  resource_type: 'test.barrels',
})

const quotas = new Quotas({ name: 'test' }, [
  definition('test.few', 'WORKSPACE', ['region'], 20),
  definition('test.none', 'WORKSPACE', [], 0),
  definition('test.any', 'WORKSPACE', [], -1),
  definition('test.shared', 'ORGANISATION', [], 30),
])

const workspace: QuotaScope = { type: 'WORKSPACE', id: 'w' }
const tree = { chain: async () => [workspace, { type: 'ORGANISATION', id: 'o' } as const] }
const here: Dimensions = { region: 'here' }

let made = 0

/** Adds a barrel and counts it. */
const add = (
  store: Store,
  { id, workspace_id = 'w', region = 'here' }: { id: string; workspace_id?: string; region?: string },
) =>
  store.tx(async tx => {
    const taken = [{ definition: id, ...(id === 'test.few' && { dimensions: { region } }) }]
    await tx.insert(barrels, { id: String((made += 1)), workspace_id, organisation_id: 'o', region })
    await quotas.consume(tx, tree, workspace_id, taken)
  })

const exceeded = { reason: 'QUOTA_EXCEEDED' }

async function race(store: Store, count: number, id: string): Promise<number> {
  const outcomes = await Promise.allSettled(Array.from({ length: count }, () => add(store, { id })))
  for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(exceeded)
  return outcomes.filter(({ status }) => status === 'fulfilled').length
}

describe('a quota that is counted', () => {
  it('admits exactly the limit of 200 concurrent creations', async () => {
    const store = await testStore(barrels, quotas.buckets)
    expect(await race(store, 200, 'test.few')).toBe(20)
    expect(await store.count(barrels)).toBe(20)
  })

  it('counts all workspaces of an organisation in one bucket', async () => {
    const store = await testStore(barrels, quotas.buckets)
    const at = (i: number) => add(store, { id: 'test.shared', workspace_id: `w-${i % 5}` })
    const outcomes = await Promise.allSettled(Array.from({ length: 40 }, (_, i) => at(i)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(30)
  })

  it('has a bucket for each value of a dimension', async () => {
    const store = await testStore(barrels, quotas.buckets)
    expect(await race(store, 25, 'test.few')).toBe(20)
    await add(store, { id: 'test.few', region: 'there' })
    await expect(add(store, { id: 'test.few' })).rejects.toMatchObject({
      ...exceeded,
      metadata: {
        quota: 'test.few',
        limit: '20',
        usage: '20',
        requested: '1',
        region: 'here',
        scope_type: 'WORKSPACE',
        scope_id: 'w',
      },
    })
  })

  it('has room again once a row is deleted', async () => {
    const store = await testStore(barrels, quotas.buckets)
    await race(store, 25, 'test.few')
    const gone = await store.find(barrels, { workspace_id: 'w' })
    if (gone) await store.tx(tx => tx.delete(barrels, gone.id, gone.version))
    await add(store, { id: 'test.few' })
    await expect(add(store, { id: 'test.few' })).rejects.toMatchObject(exceeded)
  })

  it('is checked for a row before the row is inserted', async () => {
    const store = await testStore(barrels, quotas.buckets)
    const ask = () => store.tx(tx => quotas.requireRoom(tx, tree, 'w', [{ definition: 'test.few', dimensions: here }]))
    for (let i = 0; i < 19; i += 1) await add(store, { id: 'test.few' })
    await ask()
    await add(store, { id: 'test.few' })
    await expect(ask()).rejects.toMatchObject({ ...exceeded, metadata: { usage: '20', requested: '1' } })
  })

  it('is refused with the domain of its area, whichever area was called', async () => {
    const store = await testStore(barrels, quotas.buckets)
    await expect(add(store, { id: 'test.none' })).rejects.toMatchObject({ ...exceeded, domain: { name: 'test' } })
  })

  it('refuses the first creation with the limit 0, and none with -1', async () => {
    const store = await testStore(barrels, quotas.buckets)
    await expect(add(store, { id: 'test.none' })).rejects.toMatchObject(exceeded)
    expect(await store.count(barrels)).toBe(0)
    expect(await race(store, 40, 'test.any')).toBe(40)
  })

  it.each([
    [19, 1, 'OK'],
    [20, 1, 'QUOTA_EXCEEDED'],
    [18, 2, 'OK'],
    [18, 3, 'QUOTA_EXCEEDED'],
    [0, 20, 'OK'],
    [0, 21, 'QUOTA_EXCEEDED'],
  ])('of %i used takes %i more: %s', async (used, n, expected) => {
    const store = await testStore(barrels, quotas.buckets)
    const outcome = store.tx(async tx => {
      for (let i = 0; i < used + n; i += 1)
        await tx.insert(barrels, { id: String(i), workspace_id: 'w', organisation_id: 'o', region: 'here' })
      await quotas.consumeLimit(tx, 'test.few', workspace, here, n)
      return 'OK'
    })
    if (expected === 'OK') return expect(await outcome).toBe('OK')
    await expect(outcome).rejects.toMatchObject({
      reason: expected,
      metadata: { usage: String(used), requested: String(n) },
    })
    expect(await store.count(barrels)).toBe(0)
  })

  it('deletes the bucket of a dimension, unless it has a limit', async () => {
    const store = await testStore(barrels, quotas.buckets)
    await add(store, { id: 'test.few' })
    await add(store, { id: 'test.few', region: 'there' })
    await add(store, { id: 'test.few', workspace_id: 'other' })
    await add(store, { id: 'test.any' })
    const limited = bucketKey('test.few', 'w', { region: 'there' })
    await store.tx(async tx => {
      const bucket = await tx.lock(quotas.buckets, limited)
      if (bucket)
        await tx.update(quotas.buckets, bucket.id, { ...bucket.value, limit_id: 'l', limit: 3 }, bucket.version)
      for (const region of ['here', 'there', 'nowhere']) await quotas.forget(tx, 'w', 'region', region)
      await quotas.forget(tx, 'w', 'zone', 'here')
    })
    const left: string[] = []
    for await (const { id } of store.each(quotas.buckets)) left.push(id)
    const others = [bucketKey('test.any', 'w', {}), bucketKey('test.few', 'other', here)]
    expect(left.toSorted()).toEqual([limited, ...others].toSorted())
  })

  it('uses the limit of its bucket, and deletes the bucket with the workspace', async () => {
    const store = await testStore(barrels, quotas.buckets)
    await add(store, { id: 'test.few' })
    await store.tx(async tx => {
      const bucket = await tx.find(quotas.buckets, { scope_id: 'w' })
      if (!bucket) throw new Error('the count has created no bucket')
      await tx.update(quotas.buckets, bucket.id, { ...bucket.value, limit_id: 'l', limit: 0 }, bucket.version)
    })
    await expect(add(store, { id: 'test.few' })).rejects.toMatchObject(exceeded)
    await quotas.purge(store, 'w')
    expect(await store.count(quotas.buckets)).toBe(0)
    await add(store, { id: 'test.few' })
  })

  it('throws for an unknown definition', async () => {
    const store = await testStore(barrels, quotas.buckets)
    await expect(add(store, { id: 'test.absent' })).rejects.toThrow('there is no quota definition "test.absent"')
  })
})
