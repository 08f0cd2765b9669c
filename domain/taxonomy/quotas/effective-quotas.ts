import { Rows } from '../../resources/rows.ts'
import { quotaKind } from './quotas.ts'
import { effectiveQuotaScopeInvalid } from '../../../output/taxonomy/errors.ts'
import type { EffectiveQuotaHandlers } from '../../../output/taxonomy/handlers.ts'
import type { EffectiveQuota, GetEffectiveQuotaRequest, Quota } from '../../../output/taxonomy/types.ts'
import type { Answer } from '../../../runtime/json.ts'
import type { Reader } from '../../ports/store.ts'
import { limitsOn, type Limit } from './limits.ts'
import { locate } from '../tree/locate.ts'
import { organisations } from '../tree/nodes.ts'
import type { TaxonomyEnvironment } from '../tree/taxonomy-environment.ts'
import { fromWireScope, wireScope } from '../tree/scopes.ts'
import { foundOrganisation } from '../tree/tree-lock.ts'
import { subtreeUsage } from './usage.ts'
import type { Scope } from '../../ports/scope.ts'

/**
 * Serves the effective quotas of a node: the result of all limits on its chain, computed at each read (taxonomy.md §4).
 */
export class EffectiveQuotas implements EffectiveQuotaHandlers {
  readonly #parts: Pick<TaxonomyEnvironment, 'store'>
  readonly #quotas: Rows<Quota>

  constructor(parts: Pick<TaxonomyEnvironment, 'store' | 'taxonomy'>) {
    this.#parts = parts
    this.#quotas = new Rows(quotaKind, parts)
  }

  async getEffectiveQuota(request: GetEffectiveQuotaRequest): Promise<Answer<EffectiveQuota>> {
    const { store } = this.#parts
    const { id, organisation } = request
    const scope = askedScope(request)
    foundOrganisation(await store.get(organisations, organisation), organisation)
    await this.#quotas.read({ id })
    const located = await locate(store, scope)
    if (located?.organisation.id !== organisation) throw scopeInvalid('scope_id', 'must be a node of the organisation')
    const links = await linksOf(store, id, await limitsOn(store, id, located.scopes))
    const usage = links.find(link => link.scope.id === scope.id)?.usage ?? (await subtreeUsage(store, id, scope))
    return { id, ...wireScope(scope), ...effectOf(links), usage }
  }
}

/**
 * Returns the scope of the request, by default the organisation of the path. Throws for PLATFORM, and unless the
 * request has both of `scope_type` and `scope_id` or neither.
 */
function askedScope({ organisation, scope_id, scope_type }: GetEffectiveQuotaRequest): Scope {
  if (scope_type === 'TAXONOMY_SCOPE_TYPE_PLATFORM') {
    throw scopeInvalid('scope_type', 'must be an organisation, group or workspace')
  }
  if (scope_type !== undefined && scope_id !== undefined) return fromWireScope({ scope_type, scope_id })
  if (scope_type !== undefined) throw scopeInvalid('scope_id', 'must be given with scope_type')
  if (scope_id !== undefined) throw scopeInvalid('scope_type', 'must be given with scope_id')
  return { type: 'ORGANISATION', id: organisation }
}

const scopeInvalid = (field: string, description: string): Error =>
  effectiveQuotaScopeInvalid(`${field} ${description}`, { badRequest: [{ field, description }] })

/** A limit with the usage in the subtree of its node. */
interface Link extends Limit {
  readonly usage: number
}

const linksOf = (reader: Reader, quota: string, limits: readonly Limit[]): Promise<readonly Link[]> =>
  Promise.all(limits.map(async limit => ({ ...limit, usage: await subtreeUsage(reader, quota, limit.scope) })))

/**
 * Returns the effective limit, its source, the available amount and the chain of limits. The smallest limit decides,
 * and among equal limits the limit of the deepest node. -1 is greater than every other limit.
 */
function effectOf(links: readonly Link[]): Pick<EffectiveQuota, 'limit' | 'limit_source' | 'available' | 'chain'> {
  const chain = links.map(({ limit, overrideId: override_id, scope, usage }) => ({
    ...wireScope(scope),
    limit,
    override_id,
    usage,
  }))
  const source = links.reduceRight<Link | undefined>((least, link) => (isBelow(link, least) ? link : least), undefined)
  if (source === undefined) throw new Error('an organisation always has a limit')
  const rooms = links.filter(({ limit }) => limit >= 0).map(({ limit, usage }) => limit - usage)
  return {
    limit: source.limit,
    limit_source: { ...wireScope(source.scope), override_id: source.overrideId },
    available: rooms.length === 0 ? -1 : Math.max(0, Math.min(...rooms)),
    chain,
  }
}

function isBelow(link: Limit, least: Limit | undefined): boolean {
  if (least === undefined) return true
  if (link.limit < 0) return false
  return least.limit < 0 || link.limit < least.limit
}
