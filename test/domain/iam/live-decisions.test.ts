import { describe, expect, test } from 'vitest'
import { bindings } from '../../../domain/iam/collections/bindings-store.ts'
import type { Visibility } from '../../../domain/iam/interfaces/decisions.ts'
import { LoadingCache } from '../../../domain/iam/decisions/loading-cache.ts'
import { workspaces } from '../../../domain/taxonomy/tree/nodes.ts'
import { newChild } from '../../../domain/taxonomy/tree/new-child.ts'
import { collectGarbage } from '../../garbage.ts'
import { ids, start, statement, World } from './world.ts'
import { platformScope } from './rows.ts'
import type { Scope } from '../../../domain/ports/scope.ts'

describe('a decision', () => {
  test('reads nothing once all rows are cached', async () => {
    const world = await World.make()
    const principal = await world.holder('workspace-viewer', ids.g)
    await world.bind(principal, 'certificate-requester', ids.o, { condition: 'request.hour_of_day = 5' })
    await world.policy([statement({ principals: ['role:workspace-editor'] })])
    const ask = async (): Promise<void> => {
      for (const permission of ['compute.vms.get', 'vault.certificates.create', 'compute.vms.create']) {
        await world.decide({ principal, permission })
      }
      await world.decisions.isActive(principal)
      await world.decisions.chain(ids.w)
    }
    await ask()
    world.reads = 0
    await ask()
    expect(world.reads).toBe(0)
  })

  test('reads an uncached principal by two indexed reads', async () => {
    const world = await World.make()
    const [first, second] = [await world.holder('workspace-viewer'), await world.holder('workspace-viewer')]
    await world.decide({ principal: first })
    world.reads = 0
    expect(await world.isGranted({ principal: second })).toBe(true)
    expect(world.reads).toBe(2)
  })

  test('reads an uncached scope, and no policies if there are none', async () => {
    const world = await World.make()
    const principal = await world.holder('workspace-viewer', ids.o)
    await world.decide({ principal, scope: ids.o })
    world.reads = 0
    expect(await world.isGranted({ principal, scope: ids.side })).toBe(true)
    expect(world.reads).toBeLessThanOrEqual(2)
  })

  test('reads three times if neither the principal nor the workspace is cached, but the ancestors are', async () => {
    const world = await World.make()
    const beside: Scope = { type: 'WORKSPACE', id: 'beside' }
    const named = { name: beside.id, display_name: '', description: '', labels: {}, organisation_id: ids.o.id }
    const node = newChild(beside.id, new Date(start).toISOString(), { ...named, parent_group_id: ids.gg.id })
    await world.change('SCOPE', beside.id, tx => tx.insert(workspaces, node))
    const [first, second] = [
      await world.holder('workspace-viewer', ids.o),
      await world.holder('workspace-viewer', ids.o),
    ]
    await world.decide({ principal: first })
    world.reads = 0
    expect(await world.isGranted({ principal: second, scope: beside })).toBe(true)
    expect(world.reads).toBe(3)
  })

  test('reads once for many concurrent requests', async () => {
    const world = await World.make()
    const principal = await world.holder('workspace-viewer')
    await world.decide({ principal: await world.holder('workspace-viewer') })
    world.reads = 0
    await Promise.all(Array.from({ length: 20 }, () => world.decide({ principal })))
    expect(world.reads).toBe(2)
  })
})

describe('a change applies immediately', () => {
  const cases: Record<string, (world: World, principal: string) => Promise<unknown>> = {
    'a binding': (world, principal) => world.bind(principal, 'workspace-editor', ids.g),
    'a policy': (world, principal) =>
      world.policy([statement({ effect: 'ALLOW', principals: [`principal:${principal}`] })]),
    'a role': world => world.role('custom', ['compute.vms.create']),
    'a move': world => world.move(ids.other.id),
  }

  test.each(Object.keys(cases))('%s grants a permission', async name => {
    const world = await World.make()
    await world.role('custom', ['compute.vms.get'])
    const principal = await world.holder('custom')
    await world.bind(principal, 'workspace-editor', ids.other)
    const asked = { principal, permission: 'compute.vms.create' }
    expect(await world.isGranted(asked)).toBe(false)
    await cases[name]?.(world, principal)
    expect(await world.isGranted(asked)).toBe(true)
  })

  test('a new scope is found', async () => {
    const world = await World.make()
    const principal = await world.holder('workspace-viewer', ids.other)
    expect(await world.isGranted({ principal })).toBe(false)
    await world.move(ids.other.id)
    expect(await world.isGranted({ principal })).toBe(true)
    await world.move(ids.gg.id)
    expect(await world.isGranted({ principal })).toBe(false)
  })

  test('another change keeps the cached rows', async () => {
    const world = await World.make()
    const principal = await world.holder('workspace-viewer')
    await world.decide({ principal })
    await world.holder('workspace-viewer')
    await world.change('SESSION', 'some-session', async () => undefined)
    world.reads = 0
    expect(await world.isGranted({ principal })).toBe(true)
    expect(world.reads).toBe(0)
  })

  test('every row is read again after a reset', async () => {
    const world = await World.make()
    const principal = await world.holder('workspace-viewer')
    await world.policy([statement({ permissions: ['network.*'] })])
    expect(await world.isGranted({ principal })).toBe(true)
    world.decisions.reset()
    world.reads = 0
    expect(await world.isGranted({ principal })).toBe(true)
    expect(world.reads).toBeGreaterThan(3)
  })
})

describe('a row that changes during its read', () => {
  const gate = () => {
    const waiting: ((value: { readonly n: number }) => void)[] = []
    const cache = new LoadingCache<{ readonly n: number }>(10, () => new Promise(resolve => waiting.push(resolve)))
    return { cache, waiting }
  }

  test('is read again, and its old state is never cached', async () => {
    const { cache, waiting } = gate()
    const asked = cache.load('k')
    cache.drop('k')
    const later = cache.load('k')
    waiting[1]?.({ n: 2 })
    expect(await later).toEqual({ n: 2 })
    waiting[0]?.({ n: 1 })
    expect(await asked).toEqual({ n: 2 })
    expect(cache.peek('k')).toEqual({ n: 2 })
  })

  test('is not cached if a row read with it has changed', async () => {
    const { cache, waiting } = gate()
    const { drops } = cache
    cache.drop('other')
    cache.keep('k', { n: 1 }, drops)
    expect(cache.peek('k')).toBeUndefined()
    expect(waiting).toEqual([])
  })

  test('is returned without being cached if it keeps changing', async () => {
    let n = 0
    const cache = new LoadingCache<{ readonly n: number }>(10, async key => {
      queueMicrotask(() => cache.drop(key))
      n += 1
      return { n }
    })
    expect(await cache.load('k')).toEqual({ n: 5 })
    expect(cache.peek('k')).toBeUndefined()
  })

  test('is cached by its weight, and a row that is too heavy is not cached', async () => {
    const weight = { max: 10, of: ({ n }: { readonly n: number }) => n }
    const cache = new LoadingCache<{ readonly n: number }>(100, async key => ({ n: Number(key) }), { weight })
    for (const key of ['4', '5', '6', '11']) expect(await cache.load(key)).toEqual({ n: Number(key) })
    expect(['4', '5', '6', '11'].filter(key => cache.peek(key))).toEqual(['6'])
  })

  test.each<[string, { readonly weight?: { readonly max: number; readonly of: () => number } }]>([
    ['by their number', {}],
    ['by their weight, when each weighs next to nothing', { weight: { max: 900, of: () => 1 } }],
  ])('is cached up to a number of rows, %s', async (_, keeping) => {
    const cache = new LoadingCache<{ readonly n: number }>(3, async key => ({ n: Number(key) }), keeping)
    const keys = ['1', '2', '3', '4', '5']
    for (const key of keys) await cache.load(key)
    expect(keys.filter(key => cache.peek(key))).toEqual(['3', '4', '5'])
  })

  test('takes no memory before a row is cached', async () => {
    const caches: object[] = []
    // Otherwise a collection of earlier tests' objects during the measurement would hide the used memory.
    await collectGarbage()
    const before = process.memoryUsage()
    for (let i = 0; i < 10; i += 1) caches.push(new LoadingCache(1_000_000, async () => undefined))
    const { arrayBuffers, heapUsed } = process.memoryUsage()
    expect(caches).toHaveLength(10)
    expect(arrayBuffers - before.arrayBuffers + heapUsed - before.heapUsed).toBeLessThan(10_000_000)
  })

  test('fails for all waiting requests, and is read by the next request', async () => {
    let isBroken = true
    const cache = new LoadingCache<{ readonly n: number }>(10, async () => {
      if (isBroken) throw new Error('away')
      return { n: 1 }
    })
    await expect(Promise.all([cache.load('k'), cache.load('k')])).rejects.toThrow('away')
    isBroken = false
    expect(await cache.load('k')).toEqual({ n: 1 })
  })
})

describe('the visible rows', () => {
  const seen = async (world: World, principal: string, permission = 'iam.bindings.list', now = start) =>
    world.decisions.visible(principal, permission, { now, ip: undefined })

  const below = (...scopes: readonly Scope[]): Visibility => ({ kind: 'below', scopes })

  test('are all rows for a permission at the platform', async () => {
    const world = await World.make()
    expect(await seen(world, await world.holder('platform-viewer', platformScope))).toEqual({ kind: 'all' })
  })

  test('are the rows below bindings, without nested bindings', async () => {
    const world = await World.make()
    const principal = await world.holder('workspace-viewer', ids.gg)
    await world.bind(principal, 'workspace-viewer', ids.w)
    await world.bind(principal, 'workspace-viewer', ids.other)
    expect(await seen(world, principal, 'compute.vms.list')).toEqual(below(ids.gg, ids.other))
    expect(await seen(world, principal, 'compute.vms.create')).toEqual(below())
    expect(await seen(world, principal, 'no.such.key')).toEqual(below())
    expect(await seen(world, 'nobody')).toEqual(below())
  })

  test('are none for a binding that has expired or whose condition is false', async () => {
    const world = await World.make()
    const expire_time = new Date(start + 1000).toISOString()
    const principal = await world.holder('workspace-viewer', ids.g, { expire_time })
    await world.bind(principal, 'workspace-viewer', ids.other, { condition: 'request.hour_of_day = 6' })
    await world.bind(principal, 'workspace-viewer', ids.side, { condition: 'resource.name = "x"' })
    expect(await seen(world, principal, 'compute.vms.list')).toEqual(below(ids.g))
    expect(await seen(world, principal, 'compute.vms.list', start + 1000)).toEqual(below())
  })

  test('change with each change, even if they were requested at the same moment before', async () => {
    const world = await World.make()
    const principal = await world.holder('workspace-viewer', ids.g)
    const list = () => seen(world, principal, 'compute.vms.list')
    expect([await list(), await list()]).toEqual([below(ids.g), below(ids.g)])
    await world.bind(principal, 'workspace-viewer', ids.side)
    expect(await list()).toEqual(below(ids.g, ids.side))
    await world.policy([statement({ permissions: ['compute.vms.list'] })])
    expect(await list()).toEqual({ ...below(ids.g, ids.side), except: new Set([ids.w.id]) })
    await world.bind(principal, 'workspace-viewer', ids.other)
    // The workspace lies below the group `other`.
    expect(await list()).toEqual({ ...below(ids.g, ids.other), except: new Set([ids.w.id]) })
    world.decisions.reset()
    expect(await list()).toEqual({ ...below(ids.g, ids.other), except: new Set([ids.w.id]) })
  })

  test('are computed again when a change falls into their computation', async () => {
    const world = await World.make()
    const principal = await world.holder('workspace-viewer', ids.g)
    const list = (now: number) => seen(world, principal, 'compute.vms.list', now)
    expect(await list(start)).toEqual(below(ids.g))
    await world.store.tx(async tx => {
      const held = await tx.find(bindings, { principal_id: principal })
      if (held) await tx.delete(bindings, held.id, held.version)
    })
    const asking = list(start + 1)
    world.decisions.changed('PRINCIPAL', principal)
    expect(await asking).toEqual(below(ids.g))
    expect(await list(start + 1)).toEqual(below())
  })

  test('are computed for each principal, permission and address', async () => {
    const world = await World.make()
    const condition = 'request.ip:"10.0.0.0/8"'
    const near = await world.holder('workspace-viewer', ids.g, { condition })
    const other = await world.holder('workspace-viewer', ids.side)
    const list = (principal: string, ip: string, key = 'compute.vms.list') =>
      world.decisions.visible(principal, key, { now: start, ip })
    expect(await list(near, '10.1.2.3')).toEqual(below(ids.g))
    expect(await list(near, '192.0.2.7')).toEqual(below())
    expect(await list(near, '10.1.2.3')).toEqual(below(ids.g))
    expect(await list(other, '10.1.2.3')).toEqual(below(ids.side))
    expect(await list(other, '10.1.2.3', 'compute.vms.create')).toEqual(below())
  })

  test('exclude workspaces where a policy denies the permission, and include those where a policy allows it', async () => {
    const world = await World.make()
    const principal = await world.holder('workspace-viewer', ids.g)
    const admin = await world.holder('platform-admin', platformScope)
    await world.policy([statement({ permissions: ['compute.vms.list'] })])
    const principals = [`principal:${principal}`]
    await world.policy([statement({ effect: 'ALLOW', principals })], true, ids.side.id)
    const except = new Set([ids.w.id])
    expect(await seen(world, principal, 'compute.vms.list')).toEqual({
      kind: 'below',
      scopes: [ids.g, ids.side],
      except,
    })
    expect(await seen(world, admin, 'compute.vms.list')).toEqual({ kind: 'all', except })
    expect(await seen(world, admin, 'compute.vms.get')).toEqual({ kind: 'all' })
  })
})
