import type { TopologyArea } from '../../../output/topology/area.ts'
import { locationNotApproved } from '../../../output/topology/errors.ts'
import type { ZoneHandlers } from '../../../output/topology/handlers.ts'
import type { Zone } from '../../../output/topology/types.ts'
import type { ListContext } from '../../../runtime/context.ts'
import type { Page } from '../../../runtime/pagination.ts'
import type { Parts } from '../../ports/area-parts.ts'
import type { Derived, Reader, Stored, Transaction } from '../../ports/store.ts'
import { withMembers } from '../../resources/json-text.ts'
import { Resources } from '../../resources/resources.ts'
import { foundSite } from './found-site.ts'
import { zoneKind } from './kinds.ts'
import { locationStates, type LocationStates } from './location-states.ts'
import { locationCollection } from './locations-store.ts'
import { namesField } from './named-fields.ts'
import { standardMembers } from '../../resources/standard-members.ts'
import { zoneState } from './states.ts'
import { zoneCollection, type StoredZone } from './zones-store.ts'

/** Deletes the rows that other parts of the area keep for a zone, in the transaction that deletes the zone. */
export type DropOfZone = (tx: Transaction, zoneId: string) => Promise<void>

/** Returns the handlers of zones. */
export function zones(parts: Parts<TopologyArea>, drop: DropOfZone): ZoneHandlers {
  const { clock, store } = parts
  const resources = new Resources<StoredZone, TopologyArea>(zoneKind, parts)
  return {
    listZones: (_request, context) => store.snapshot(reader => listZones(reader, context)),
    getZone: request =>
      store.snapshot(async reader => {
        const stored = await foundSite(reader, zoneKind, parts, request)
        return answered(stored, await locationStates(reader, [stored.value.location]))
      }),
    async createZone(request, context) {
      const { etag: _precondition, ...settable } = request.body
      // The region of an approved location never changes. A location that is approved after this read counts as
      // PENDING.
      const region = (await store.find(locationCollection, { name: settable.location }))?.value.region ?? ''
      const zone: StoredZone = { ...standardMembers(clock, context), ...settable, region }
      return resources.create(request, context, zone, {
        async refer() {
          if (region === '') throw notApproved(zone)
        },
      })
    },
    updateZone: (request, context) => resources.update(request, context),
    deleteZone: (request, context) => resources.delete(request, context, { release: (tx, { id }) => drop(tx, id) }),
  }
}

async function listZones(reader: Reader, { query }: ListContext): Promise<Page<Zone>> {
  const all = namesField(query, 'state') ? await locationStates(reader) : undefined
  const page = await reader.page(zoneCollection, query, {}, { derived: all && derivedStates(all) })
  const states =
    all ??
    (await locationStates(
      reader,
      page.items.map(({ value }) => value.location),
    ))
  return { ...page, items: page.items.map(stored => answered(stored, states)) }
}

const answered = ({ text, value }: Stored<StoredZone>, states: LocationStates) =>
  withMembers(text, { state: zoneState(value, states.get(value.location)) })

/** Returns the table from which lists derive the states of zones, by location and cordon. */
const derivedStates = (states: LocationStates): Derived => ({
  from: ['location', 'schedulable_text'],
  fields: [{ name: 'state', type: 'ENUM' }],
  rows: [...states].flatMap(([location, state]) =>
    [true, false].map(schedulable => ({
      from: [location, String(schedulable)],
      values: [zoneState({ schedulable }, state)],
    })),
  ),
})

function notApproved({ location }: StoredZone) {
  return locationNotApproved(`location ${location} is PENDING; approve it first`, {
    resource: { type: 'topology.locations', name: location },
    precondition: [{ type: 'STATE', subject: location, description: 'the location must be approved' }],
  })
}
