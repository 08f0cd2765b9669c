import type { TopologyArea } from '../../../output/topology/area.ts'
import type { LocationHandlers } from '../../../output/topology/handlers.ts'
import type { ParsedApproveLocationRequest, Location, ParsedStateChange } from '../../../output/topology/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { faultAt } from '../../../runtime/errors.ts'
import type { JsonText } from '../../../runtime/json.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { fieldInvalid } from '../../../output/shared/errors.ts'
import type { Parts } from '../../ports/area-parts.ts'
import { systemPrincipalId } from '../../ports/reserved.ts'
import type { Reader, Transaction } from '../../ports/store.ts'
import { nextEtag } from '../../resources/etag.ts'
import { withMembers } from '../../resources/json-text.ts'
import { Resources } from '../../resources/resources.ts'
import { foundSite } from './found-site.ts'
import { locationKind } from './kinds.ts'
import { locationCollection, type StoredLocation } from './locations-store.ts'
import { ensureRegion } from './regions-store.ts'
import { targetCollection } from './targets-store.ts'
import { zoneCollection } from './zones-store.ts'

/** Returns the handlers of locations. */
export function locations(parts: Parts<TopologyArea>): LocationHandlers {
  const { clock, store } = parts
  const resources = new Resources<StoredLocation, TopologyArea>(locationKind, parts)
  const change = (
    verb: string,
    request: { readonly id: string; readonly body: ParsedStateChange },
    context: CallContext,
  ) =>
    resources.verb(verb, request, context, async (_tx, { etag }) => ({
      members: { state_reason: request.body.reason, etag: nextEtag(etag) },
    }))
  return {
    listLocations: (_request, { query }) =>
      store.snapshot(async reader => {
        const page = await reader.page(locationCollection, query, {}, { members: ['name'] })
        const names = page.items.map(({ members: [name] }) => name)
        const counted = await counting(reader, names)
        return { ...page, items: page.items.map(({ members: [name], text }) => counted(name, text)) }
      }),
    getLocation: request =>
      store.snapshot(async reader => {
        const { text, value } = await foundSite(reader, locationKind, parts, request)
        return (await counting(reader, [value.name]))(value.name, text)
      }),
    approveLocation(request, context) {
      const regionId = clock.newId()
      return resources.verb('approve', request, context, async (tx, location) => ({
        members: await approval(tx, location, request, context, regionId),
      }))
    },
    enableLocation: (request, context) => change('enable', request, context),
    disableLocation: (request, context) => change('disable', request, context),
  }
}

/**
 * Returns the members that an approval sets, and creates the region if it does not exist. Throws FIELD_INVALID if
 * neither the request nor the location names a region.
 */
async function approval(
  tx: Transaction,
  { country_code, etag, proposed_region }: StoredLocation,
  { body }: ParsedApproveLocationRequest,
  { now, principal }: CallContext,
  regionId: string,
): Promise<Partial<StoredLocation>> {
  const region = body.region === '' ? proposed_region : body.region
  if (region === '') throw faultAt(fieldInvalid, 'region', 'region is required, because no region was proposed')
  const time = formatMillis(now)
  await ensureRegion(tx, { id: regionId, name: region, country_code, create_time: time })
  return {
    region,
    etag: nextEtag(etag),
    state_reason: body.comment,
    approve_time: time,
    approved_by: principal?.id ?? systemPrincipalId,
    ...(!body.enable && { state: 'TOPOLOGY_LOCATION_STATE_DISABLED' }),
  }
}

/**
 * Counts the targets and the zones of locations. Returns the function that appends the counts to the text of a
 * location.
 */
async function counting(reader: Reader, names: readonly string[]) {
  const targets = await reader.tally(targetCollection, 'location', { location: names })
  const zones = await reader.tally(zoneCollection, 'location', { location: names })
  return (name: string, text: JsonText<StoredLocation>): JsonText<Location> =>
    withMembers(text, { deployment_target_count: targets.get(name) ?? 0, zone_count: zones.get(name) ?? 0 })
}
