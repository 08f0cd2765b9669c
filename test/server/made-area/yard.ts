import type { Store, Transaction } from '../../../domain/ports/store.ts'
import { rowScope } from '../../../domain/resources/look-up.ts'
import { Resources } from '../../../domain/resources/resources.ts'
import { ApiError, atField } from '../../../runtime/errors.ts'
import type { AreaModule } from '../../../server/area.ts'
import type { AreaEnvironment } from '../../../server/area-parts.ts'
import { areaInProgress, type DeclarationInProgress } from '../../../server/area-in-progress.ts'
import { depotPlane } from '../planes/depot.ts'
import { handwritten, type SampleArea } from '../sample-area.ts'
import { boxes, boxKind, notes, rackKind, tagKind, yard, type Box, type Rack, type Tag } from './yard-kinds.ts'
import { yardRoutes, type YardHandlers } from './yard-routes.ts'
import { inspectBoxes, sealing } from './yard-sealing.ts'

/** The switches by which a test changes a yard, and the store of the yard. */
export interface YardControl {
  isSealed?: boolean
  isProtected?: boolean
  store?: Store
}

type YardEnvironment = AreaEnvironment<SampleArea, never, 'topology'>
type Declaration = DeclarationInProgress<SampleArea, YardHandlers, never, 'topology'>

/** Inserts the note of an event, if the note does not exist yet. */
async function note(tx: Transaction, what: string, workspace_id = ''): Promise<void> {
  const id = `${what}/${workspace_id}`
  if ((await tx.get(notes, id)) === undefined) await tx.insert(notes, { id, workspace_id })
}

const sealed = () => new ApiError({ reason: 'YARD_SEALED', rpc: 'FAILED_PRECONDITION' }, 'the yard is sealed')

/** Returns the declared yard; `more` adds or replaces members of the declaration. */
export function yardArea(control: YardControl = {}, more: Partial<Declaration> = {}): AreaModule {
  return areaInProgress<SampleArea, YardHandlers, never, 'topology'>({
    generated: { ...handwritten(yard), routes: yardRoutes },
    kinds: [tagKind, boxKind, rackKind],
    collections: [notes],
    engines: ['native', 'second'],
    needs: { optional: ['topology'] },
    scopes: { findBox: rowScope(boxKind) },
    resolve: async (_reader, type, id) =>
      type === 'yard.cranes' ? { name: `crane ${id}`, labels: {}, scope: { type: 'PLATFORM', id: '' } } : undefined,
    procedures: () => [sealing],
    workers: () => [{ name: 'yard.sweeping', everyMs: 60_000, run: turn => turn.tx(tx => note(tx, 'swept')) }],
    planes: () => [depotPlane()],
    start: tx => note(tx, 'started'),
    async *inspect({ reader }) {
      for await (const { id } of reader.each(notes, { workspace_id: 'wrong' }))
        yield { resourceType: 'yard.notes', id, message: 'is wrong' }
      yield* inspectBoxes(reader)
    },
    built: { racks: rackCalls, boxes: boxCalls, tags: tagCalls },
    ...ofControl(control),
    ...more,
  })
}

const ofControl = (control: YardControl): Pick<Declaration, 'admit' | 'hooks'> => ({
  admit: () => () => {
    if (control.isSealed) throw sealed()
  },
  hooks: ({ store }) => {
    control.store = store
    return {
      workspaceCreated: (tx, workspace) => note(tx, 'born', workspace),
      async reconcileWorkspace(workspace, state) {
        await store.tx(tx => note(tx, state, workspace))
        return true
      },
      holdings: async (reader, workspace) => [
        { resourceType: 'yard.notes', count: await reader.count(notes, { workspace_id: workspace }) },
      ],
      protections: async (_reader, workspace) =>
        control.isProtected ? [{ resourceType: 'yard.notes', id: workspace, reason: 'the yard says so' }] : [],
      purgeWorkspace: workspace =>
        store.tx(async tx => {
          for await (const { id, version } of tx.each(notes, { workspace_id: workspace }))
            await tx.delete(notes, id, version)
          await note(tx, `purged ${workspace}`)
        }),
    }
  },
})

function rackCalls(parts: YardEnvironment): YardHandlers['racks'] {
  const resources = new Resources<Rack, SampleArea>(rackKind, parts)
  const { functions } = parts
  return {
    async createRack(request, context) {
      const { labels = {}, name, region } = request.body
      return resources.create(
        request,
        context,
        { ...resources.standard(request, context), name, labels },
        {
          async refer(tx) {
            if (region === undefined || !functions.topology) return
            if (await functions.topology.requireRegion(tx, region)) return
            throw atField(new ApiError({ reason: 'REGION_NOT_FOUND', rpc: 'NOT_FOUND' }, 'no such region'), 'region')
          },
        },
      )
    },
    deleteRack: (request, context) => resources.delete(request, context),
  }
}

function boxCalls(parts: YardEnvironment): YardHandlers['boxes'] {
  const resources = new Resources<Box, SampleArea>(boxKind, parts)
  return {
    listBoxes: (request, context) => resources.list({ workspace: request.workspace, engine: request.engine }, context),
    async createBox(request, context) {
      const { labels = {}, name, rack_id = '' } = request.body
      const box = { ...resources.standard(request, context), name, labels, rack_id, state: 'OPEN' }
      return resources.create(request, context, box)
    },
    getBox: request => resources.get(request),
    updateBox: (request, context) => resources.update(request, context),
    deleteBox: (request, context) => resources.delete(request, context),
    sealBox: (request, context) =>
      resources.verb('seal', request, context, async (_tx, { id }) => ({
        procedure: { kind: 'yard.seal', input: { id } },
      })),
    shakeBox: (request, context) => resources.verb('shake', request, context),
    async findBox({ id }) {
      const box = await parts.store.get(boxes, id)
      if (box) return box.text
      throw boxKind.notFound(`there is no box ${id}`, { resource: { type: boxKind.type, name: id } })
    },
  }
}

function tagCalls(parts: YardEnvironment): YardHandlers['tags'] {
  const resources = new Resources<Tag, SampleArea>(tagKind, parts)
  return {
    async createTag(request, context) {
      const tag = { ...resources.standard(request, context), name: request.body.name, labels: {}, box_id: request.box }
      return resources.create(request, context, tag)
    },
    listTags: (request, context) => resources.list(request, context),
    getTag: request => resources.get(request),
  }
}
