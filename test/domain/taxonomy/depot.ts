import { platformWorkspaceId } from '../../../domain/ports/reserved.ts'
import type { Collection, Reader, Transaction } from '../../../domain/ports/store.ts'
import type { NodeState, WorkspaceHooks } from '../../../domain/ports/taxonomy.ts'
import { bind } from '../../../runtime/bind.ts'
import type { BoundRoute, Route } from '../../../runtime/route.ts'
import { isRecord } from '../../../runtime/validation.ts'
import { area, type AreaModule } from '../../../server/area.ts'
import type { AreaEnvironment } from '../../../server/area-parts.ts'
import { handwritten, type SampleArea, type SampleOperation } from '../../server/sample-area.ts'
import type { ErrorDomain } from '../../../runtime/errors.ts'

/**
 * The error domain of the depot: an area with resources in workspaces, like the machines of compute, for tests of the
 * taxonomy's hooks.
 */
export const depot: ErrorDomain = { name: 'depot', base: 5_000_000 }

interface Thing {
  readonly id: string
  readonly workspace_id: string
  /** The amount of `compute.vcpus`. */
  readonly vcpus: number
  readonly is_protected: boolean
}

/** The area's record of a workspace. */
interface Shelf {
  /** The id of the workspace. */
  readonly id: string
  readonly state: NodeState
  /** The number of changes of the state; a repeated call of the hook changes nothing. */
  readonly changes: number
}

export const things: Collection<Thing> = {
  name: 'depot_things',
  id: 'id',
  columns: { workspace_id: 'STRING' },
  indexes: [['workspace_id']],
}
export const shelves: Collection<Shelf> = { name: 'depot_shelves', id: 'id' }

/** The behaviour of the area's hooks in a test; each hook may wait or throw. */
export interface DepotControl {
  /** Runs before the depot changes the state of a workspace; returns false if the change takes longer. */
  reconcile?: (workspace: string, state: NodeState) => Promise<boolean>
  /** Runs before the depot purges the things of a workspace. */
  purge?: (workspace: string) => Promise<void>
}

type DepotEnvironment = AreaEnvironment<SampleArea>

interface AddThing {
  readonly workspace: string
  readonly body: { readonly vcpus: number; readonly is_protected: boolean }
}

interface InWorkspace {
  readonly workspace: string
}

const json = { type: 'application/json', kind: 'json' } as const
const access = { kind: 'permission', key: 'depot.things.any', class: 'WRITE', scope: 'path' } as const
const path = ['/depot/v1/workspaces/', 'workspace', '/things'] as const
const parameters = [{ name: 'workspace', in: 'path', type: 'string' }] as const

const addThing: Route<AddThing, SampleOperation> = {
  operationId: 'addThing',
  method: 'POST',
  path,
  parameters,
  body: { type: 'application/json', kind: 'json', required: true },
  success: [{ status: 200, ...json }],
  domain: depot,
  access,
  mode: 'sync',
  check: (request): request is AddThing => isRecord(request),
}

const listThings: Route<InWorkspace, { things: number }> = {
  operationId: 'listThings',
  method: 'GET',
  path,
  parameters,
  success: [{ status: 200, ...json }],
  domain: depot,
  access,
  check: (request): request is InWorkspace => isRecord(request),
}

/** Makes the depot. Its hooks record their effects in the store, so that a killed process cannot lose the records. */
export function depotArea(control: DepotControl = {}): AreaModule {
  return area({
    generated: handwritten(depot),
    collections: [things, shelves],
    handlers: routesOf,
    hooks: parts => hooksOf(parts, control),
  })
}

function routesOf({ clock, operations, store, taxonomy }: DepotEnvironment): readonly BoundRoute[] {
  return [
    bind(addThing, (request, context) =>
      operations.mutate(context, request, async tx => {
        const { body, workspace } = request
        await taxonomy.requireActive(tx, workspace)
        await taxonomy.consume(tx, workspace, [{ quota: 'compute.vcpus', amount: body.vcpus }])
        const thing = { id: clock.newId(), workspace_id: workspace, ...body }
        await tx.insert(things, thing)
        const scope = { type: 'WORKSPACE', id: workspace } as const
        return { type: 'CREATE', resourceType: 'depot.things', resourceId: thing.id, scope }
      }),
    ),
    bind(listThings, async ({ workspace }) => ({ things: await thingsIn(store, workspace) })),
  ]
}

const thingsIn = (reader: Reader, workspace: string): Promise<number> =>
  reader.count(things, { workspace_id: workspace })

function hooksOf({ store, taxonomy }: DepotEnvironment, control: DepotControl): WorkspaceHooks {
  return {
    area: 'depot',
    async workspaceCreated(tx, id) {
      // Tests count only the shelves of the workspaces that they create.
      if (id !== platformWorkspaceId) await tx.insert(shelves, { id, state: 'ACTIVE', changes: 0 })
    },
    async reconcileWorkspace(id, state) {
      if ((await control.reconcile?.(id, state)) === false) return false
      await store.tx(async tx => {
        const shelf = await tx.lock(shelves, id)
        if (!shelf || shelf.value.state === state) return
        await tx.update(shelves, id, { id, state, changes: shelf.value.changes + 1 }, shelf.version)
      })
      return true
    },
    async holdings(reader, id) {
      return [{ resourceType: 'depot.things', count: await thingsIn(reader, id) }]
    },
    async protections(reader, id) {
      const found = []
      for await (const { value } of reader.each(things, { workspace_id: id })) {
        if (value.is_protected) found.push({ resourceType: 'depot.things', id: value.id, reason: 'it is protected' })
      }
      return found
    },
    async purgeWorkspace(id) {
      await control.purge?.(id)
      await store.tx(async tx => {
        const vcpus = await emptied(tx, id)
        if (vcpus > 0) await taxonomy.consume(tx, id, [{ quota: 'compute.vcpus', amount: -vcpus }])
      })
    },
  }
}

/** Deletes the things and the shelf of a workspace; returns the total vcpus of the things. */
async function emptied(tx: Transaction, workspace: string): Promise<number> {
  let vcpus = 0
  for await (const { id, value, version } of tx.each(things, { workspace_id: workspace })) {
    vcpus += value.vcpus
    await tx.delete(things, id, version)
  }
  const shelf = await tx.lock(shelves, workspace)
  if (shelf) await tx.delete(shelves, workspace, shelf.version)
  return vcpus
}
