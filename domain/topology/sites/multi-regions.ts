import type { TopologyArea } from '../../../output/topology/area.ts'
import { multiRegionInUse, regionNotFound } from '../../../output/topology/errors.ts'
import type { MultiRegionHandlers } from '../../../output/topology/handlers.ts'
import type { MultiRegion } from '../../../output/topology/types.ts'
import type { ListContext } from '../../../runtime/context.ts'
import { atField } from '../../../runtime/errors.ts'
import type { Page } from '../../../runtime/pagination.ts'
import type { Parts } from '../../ports/area-parts.ts'
import type { Derived, Reader, Stored, Transaction } from '../../ports/store.ts'
import { withMembers } from '../../resources/json-text.ts'
import { addReference, dropReference, referencesTo } from '../../resources/references.ts'
import { Resources } from '../../resources/resources.ts'
import { foundSite } from './found-site.ts'
import { multiRegionKind, regionKind } from './kinds.ts'
import { availableRegions } from './location-states.ts'
import { multiRegionCollection, type StoredMultiRegion } from './multi-regions-store.ts'
import { namesField } from './named-fields.ts'
import { standardMembers } from '../../resources/standard-members.ts'
import { multiRegionState } from './states.ts'

/** Returns the handlers of multi-regions. */
export function multiRegions(parts: Parts<TopologyArea>): MultiRegionHandlers {
  const { clock, store } = parts
  const resources = new Resources<StoredMultiRegion, TopologyArea>(multiRegionKind, parts)
  return {
    listMultiRegions: (_request, context) => store.snapshot(reader => listMultiRegions(reader, context)),
    getMultiRegion: request =>
      store.snapshot(async reader => {
        const stored = await foundSite(reader, multiRegionKind, parts, request)
        return answered(stored, await availableRegions(reader, stored.value.regions))
      }),
    async createMultiRegion(request, context) {
      const { etag: _precondition, ...settable } = request.body
      const row: StoredMultiRegion = { ...standardMembers(clock, context), ...settable }
      return resources.create(request, context, row, { refer: tx => referToRegions(tx, row) })
    },
    updateMultiRegion: (request, context) =>
      resources.update(request, context, {
        async refer(tx, { value }, before) {
          const removed = before.regions.filter(region => !value.regions.includes(region))
          if (removed.length > 0) await requireUnused(tx, before)
          await referToRegions(tx, value)
          for (const region of removed) await forgetRegion(tx, before, region)
        },
      }),
    deleteMultiRegion: (request, context) => resources.delete(request, context),
  }
}

/**
 * Records the references of a multi-region to its regions, which are never deleted. Throws REGION_NOT_FOUND at the
 * first absent region.
 */
async function referToRegions(tx: Transaction, { id, regions }: StoredMultiRegion): Promise<void> {
  for (const [i, name] of regions.entries()) {
    const region = await regionKind.idNamed(tx, name)
    if (region === undefined) {
      const resource = { type: regionKind.type, name }
      throw atField(regionNotFound(`no region is called ${name}`, { resource }), `regions[${i}]`)
    }
    await addReference(tx, { type: regionKind.type, id: region }, { type: multiRegionKind.type, id })
  }
}

async function forgetRegion(tx: Transaction, { id }: StoredMultiRegion, name: string): Promise<void> {
  const region = await regionKind.idNamed(tx, name)
  if (region === undefined) return
  await dropReference(tx, { type: regionKind.type, id: region }, { type: multiRegionKind.type, id })
}

/**
 * Throws MULTI_REGION_IN_USE if another row refers to the multi-region, because the multi-region must then keep its
 * regions.
 */
async function requireUnused(tx: Transaction, { id, name }: StoredMultiRegion): Promise<void> {
  const holders = [...(await referencesTo(tx, { type: multiRegionKind.type, id }))]
  if (holders.length === 0) return
  throw multiRegionInUse(`multi-region ${name} is in use, so that no region can be removed`, {
    resource: { type: multiRegionKind.type, name: id },
    precondition: holders.map(([type, count]) => ({ type, subject: id, description: `${count} left` })),
  })
}

async function listMultiRegions(reader: Reader, { query }: ListContext): Promise<Page<MultiRegion>> {
  const available = await availableRegions(reader)
  const derived = namesField(query, 'state') ? await derivedStates(reader, available) : undefined
  const page = await reader.page(multiRegionCollection, query, {}, { derived })
  return { ...page, items: page.items.map(stored => answered(stored, available)) }
}

async function derivedStates(reader: Reader, available: ReadonlySet<string>): Promise<Derived> {
  const rows: Derived['rows'][number][] = []
  for await (const { value } of reader.each(multiRegionCollection)) {
    rows.push({ from: [value.name], values: [multiRegionState(value.regions, available)] })
  }
  return { from: ['name'], fields: [{ name: 'state', type: 'ENUM' }], rows }
}

const answered = ({ text, value }: Stored<StoredMultiRegion>, available: ReadonlySet<string>) =>
  withMembers(text, { state: multiRegionState(value.regions, available) })
