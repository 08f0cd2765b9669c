import { afterEach, describe, expect, it } from 'vitest'
import { ApiError } from '../../../runtime/errors.ts'
import { followings } from '../../../domain/taxonomy/cascade/following.ts'
import { Nodes, state, type Node } from './nodes-by-kind.ts'
import { treePlatform, TreeMaker } from './platform.ts'
import { scriptedPlatform, within } from './scripted-platform.ts'

/** The areas in an arbitrary order, which differs from the order of purges; the depot comes in addition. */
const areaNames = ['iam', 'vault', 'network', 'storage', 'compute', 'registry', 'observability'] as const
const order = ['compute', 'network', 'registry', 'storage', 'observability', 'vault', 'iam'] as const

const failing = new Map<string, number>()
const { client, ended, operation, quiet, script, shelf, store } = await scriptedPlatform(undefined, made =>
  areaNames.map((name, i) =>
    made.area(name, 20_000_000 + i * 1_000_000, {
      async purgeWorkspace() {
        const left = failing.get(name) ?? 0
        if (left === 0) return
        failing.set(name, left - 1)
        throw new ApiError({ reason: 'BROKEN', rpc: 'INTERNAL' }, `${name} is closed, ${left} times more`)
      },
    }),
  ),
)
afterEach(() => failing.clear())
const nodes = new Nodes(client)

async function archivedWorkspace(name: string): Promise<Node & { readonly tree: TreeMaker }> {
  const tree = await TreeMaker.make(client, name)
  const { organisation } = tree
  const node: Node = { kind: 'workspace', organisation, id: await tree.workspace('web') }
  await ended(await nodes.change('archive', node))
  return { ...node, tree }
}

const purges = (workspace: string): readonly string[] =>
  script
    .callsIn(workspace)
    .filter(call => call.state === undefined)
    .map(({ area }) => area)

describe('a workspace that is deleted by force', () => {
  it('is purged area by area, areas with dependents first, and is gone at the end', async () => {
    const { id, organisation, tree } = await archivedWorkspace('in-order')
    const deleted = await client.deleteWorkspace({ organisation, id, force: true })
    expect(deleted).toMatchObject({ status: 'TAXONOMY_OPERATION_STATUS_PENDING', progress: 0 })
    expect(await ended(deleted)).toMatchObject({
      status: 'TAXONOMY_OPERATION_STATUS_DONE',
      progress: 100,
      warnings: [],
      errors: [],
    })
    expect(purges(id)).toEqual(['depot', ...order])
    await expect(nodes.get({ kind: 'workspace', organisation, id })).rejects.toMatchObject({ rpc: 'NOT_FOUND' })
    expect(await client.getOrganisation({ id: organisation })).toMatchObject({ workspace_count: 0 })
    expect(await store.get(followings, id)).toBeUndefined()
    expect(await tree.workspace('web')).not.toBe(id)
  })

  it('keeps its name and counts until it is gone', async () => {
    const { id, organisation, tree } = await archivedWorkspace('held')
    const { promise, resolve } = Promise.withResolvers<void>()
    script.purge(id, () => promise)
    const deleted = await client.deleteWorkspace({ organisation, id, force: true })
    await expect(tree.workspace('web')).rejects.toMatchObject({ reason: 'WORKSPACE_ALREADY_EXISTS' })
    expect(await client.getOrganisation({ id: organisation })).toMatchObject({ workspace_count: 1 })
    expect(await nodes.get({ kind: 'workspace', organisation, id })).toMatchObject({ state: state('DELETING') })
    resolve()
    await ended(deleted)
  })

  it('waits for a failing area, reports the failure once, and continues there', async () => {
    const { id, organisation } = await archivedWorkspace('fails')
    failing.set('storage', 3)
    const deleted = await client.deleteWorkspace({ organisation, id, force: true })
    const seen: number[] = []
    await expect
      .poll(async () => {
        const { progress, warnings } = await operation(deleted.id)
        seen.push(progress)
        return warnings
      }, within)
      .toEqual([{ code: 7003091, description: expect.stringContaining('storage is closed') }])
    expect(await operation(deleted.id)).toMatchObject({ status: 'TAXONOMY_OPERATION_STATUS_RUNNING', errors: [] })
    const done = await ended(deleted)
    expect(done).toMatchObject({ status: 'TAXONOMY_OPERATION_STATUS_DONE', progress: 100 })
    const description =
      'storage could not purge the workspace: storage is closed, 1 times more; the purge is retried every minute'
    expect(done.warnings).toEqual([{ code: 7003091, description }])
    expect(seen).toEqual(seen.toSorted((a, b) => a - b))
    const storages = Array.from({ length: 4 }, () => 'storage')
    expect(purges(id)).toEqual(['depot', 'compute', 'network', 'registry', ...storages, ...order.slice(4)])
  })
})

describe('a workspace that is deleted without force', () => {
  it('is gone at the response; the resources of the platform are purged later, without an operation', async () => {
    const { id, organisation } = await archivedWorkspace('free')
    failing.set('network', 1)
    const deleted = await client.deleteWorkspace({ organisation, id })
    expect(deleted).toMatchObject({ status: 'TAXONOMY_OPERATION_STATUS_DONE', progress: 100 })
    await expect(nodes.get({ kind: 'workspace', organisation, id })).rejects.toMatchObject({ rpc: 'NOT_FOUND' })
    expect(await client.getOrganisation({ id: organisation })).toMatchObject({ workspace_count: 0 })
    await expect.poll(() => purges(id), within).toEqual(['depot', 'compute', 'network', 'network', ...order.slice(2)])
    await quiet()
    expect(await shelf(id)).toBeUndefined()
    const { operations } = await client.listOperations({ filter: `resource_id = "${id}"` })
    // Two operations may have the same millisecond, so their order is not certain.
    expect(operations.map(each => each.operation_type).toSorted()).toEqual([
      'TAXONOMY_OPERATION_TYPE_ARCHIVE',
      'TAXONOMY_OPERATION_TYPE_CREATE',
      'TAXONOMY_OPERATION_TYPE_DELETE',
    ])
  })
})

describe('a protected resource', async () => {
  const { addThing, client: plain, countThings } = await treePlatform()
  const plainNodes = new Nodes(plain)

  it('prevents the deletion of its workspace by force until the workspace is restored and the protection ends', async () => {
    const tree = await TreeMaker.make(plain, 'protected')
    const { organisation } = tree
    const node: Node = { kind: 'workspace', organisation, id: await tree.workspace('web') }
    const { id } = node
    await addThing(id, { is_protected: true })
    await addThing(id)
    await addThing(id, { is_protected: true })
    await plainNodes.change('archive', node)
    const refused = plain.deleteWorkspace({ organisation, id, force: true })
    await expect(refused).rejects.toMatchObject({
      reason: 'WORKSPACE_PROTECTED',
      rpc: 'FAILED_PRECONDITION',
      details: {
        precondition: [
          { type: 'depot.things', description: 'it is protected' },
          { type: 'depot.things', description: 'it is protected' },
        ],
      },
    })
    await expect(plain.deleteWorkspace({ organisation, id })).rejects.toMatchObject({
      reason: 'WORKSPACE_NOT_EMPTY',
      details: { precondition: [{ type: 'depot.things', subject: id, description: '3 left' }] },
    })
    expect(await plainNodes.get(node)).toMatchObject({ state: state('ARCHIVED') })
    expect(await countThings(id)).toBe(3)
    expect(await plainNodes.change('restore', node)).toMatchObject({ resource_id: id })
  })

  it('returns its quota when its workspace is purged', async () => {
    const tree = await TreeMaker.make(plain, 'gives-back')
    const { organisation } = tree
    const node: Node = { kind: 'workspace', organisation, id: await tree.workspace('web') }
    await addThing(node.id, { vcpus: 7 })
    const usage = async () => (await plain.getEffectiveQuota({ organisation, id: 'compute.vcpus' })).usage
    expect(await usage()).toBe(7)
    await plainNodes.change('archive', node)
    await plain.waitOperation(await plain.deleteWorkspace({ organisation, id: node.id, force: true }))
    expect(await usage()).toBe(0)
  })
})
