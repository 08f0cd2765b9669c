import type { TopologyArea } from '../../../output/topology/area.ts'
import type { RegionHandlers } from '../../../output/topology/handlers.ts'
import type { Region } from '../../../output/topology/types.ts'
import type { ListContext } from '../../../runtime/context.ts'
import type { JsonText } from '../../../runtime/json.ts'
import type { Page } from '../../../runtime/pagination.ts'
import type { Parts } from '../../ports/area-parts.ts'
import { hasId, type Derived, type Reader, type Stored } from '../../ports/store.ts'
import { withMembers } from '../../resources/json-text.ts'
import { references } from '../../resources/references.ts'
import { foundSite } from './found-site.ts'
import { multiRegionKind, regionKind } from './kinds.ts'
import { availableRegions } from './location-states.ts'
import { locationCollection } from './locations-store.ts'
import { multiRegionCollection } from './multi-regions-store.ts'
import { namesField } from './named-fields.ts'
import { regionCollection, type StoredRegion } from './regions-store.ts'
import { regionState } from './states.ts'
import { zoneCollection } from './zones-store.ts'

/** Returns the handlers of regions. */
export function regions(parts: Parts<TopologyArea>): RegionHandlers {
  const { store } = parts
  return {
    listRegions: (_request, context) => store.snapshot(reader => listRegions(reader, context)),
    getRegion: request =>
      store.snapshot(async reader => {
        const { id, text, value } = await foundSite(reader, regionKind, parts, request)
        const region = { id, text, members: [value.name] } as const
        return (await sitesOf(reader, [region]))(region)
      }),
  }
}

async function listRegions(reader: Reader, { query }: ListContext): Promise<Page<Region>> {
  const derived = namesField(query, 'state') ? await derivedStates(reader) : undefined
  const page = await reader.page(regionCollection, query, {}, { derived, members: ['name'] })
  return { ...page, items: page.items.map(await sitesOf(reader, page.items)) }
}

async function derivedStates(reader: Reader): Promise<Derived> {
  const available = await availableRegions(reader)
  const rows: Derived['rows'][number][] = []
  for await (const { value } of reader.each(regionCollection)) {
    rows.push({ from: [value.name], values: [regionState(available.has(value.name))] })
  }
  return { from: ['name'], fields: [{ name: 'state', type: 'ENUM' }], rows }
}

interface Answerable extends Pick<Stored<StoredRegion>, 'id' | 'text'> {
  readonly members: readonly [name: string]
}

/**
 * Reads the locations, zones and multi-regions of regions. Returns the function that appends their names and the state
 * to the text of a region.
 */
async function sitesOf(reader: Reader, items: readonly Answerable[]) {
  const names = items.map(({ members: [name] }) => name)
  const available = await availableRegions(reader, names)
  const locations = await namesByRegion(reader.each(locationCollection, { region: names }))
  const zones = await namesByRegion(reader.each(zoneCollection, { region: names }))
  const multiRegions = await multiRegionsOf(reader, items)
  return ({ id, members: [name], text }: Answerable): JsonText<Region> =>
    withMembers(text, {
      locations: locations.get(name)?.toSorted() ?? [],
      zones: zones.get(name)?.toSorted() ?? [],
      multi_regions: multiRegions.get(id)?.toSorted() ?? [],
      state: regionState(available.has(name)),
    })
}

async function namesByRegion(
  rows: AsyncIterable<Stored<{ readonly name: string; readonly region: string }>>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const names = new Map<string, string[]>()
  for await (const { value } of rows) {
    const known = names.get(value.region)
    if (known) known.push(value.name)
    else names.set(value.region, [value.name])
  }
  return names
}

/** Returns the names of the multi-regions of regions, keyed by region id. */
async function multiRegionsOf(
  reader: Reader,
  regionRows: readonly { readonly id: string }[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const holders: (readonly [region: string, multiRegion: string])[] = []
  const where = {
    target_type: regionKind.type,
    target_id: regionRows.map(({ id }) => id),
    holder_type: multiRegionKind.type,
  }
  for await (const { value } of reader.each(references, where)) holders.push([value.target_id, value.holder_id])
  const names = new Map<string, string>()
  const ids = [...new Set(holders.map(([, id]) => id))]
  for await (const { id, value } of reader.each(multiRegionCollection, hasId(multiRegionCollection, ids))) {
    names.set(id, value.name)
  }
  const byRegion = Map.groupBy(holders, ([region]) => region)
  return new Map([...byRegion].map(([region, of]) => [region, of.flatMap(([, id]) => names.get(id) ?? [])]))
}
