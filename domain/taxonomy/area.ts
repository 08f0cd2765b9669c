import { taxonomyRoutes } from '../../output/taxonomy/routes.ts'
import type { TaxonomyOperation } from '../../output/taxonomy/types.ts'
import type { BoundRoute } from '../../runtime/route.ts'
import { formatMillis } from '../../runtime/timestamps.ts'
import type { Parts } from '../ports/parts.ts'
import { platformWorkspaceId, systemOrganisationId } from '../ports/reserved.ts'
import type { Collection, Transaction } from '../ports/store.ts'
import { FilterSchemas } from './filter-schemas.ts'
import { groups, organisations, workspaces } from './nodes.ts'
import { newOrganisation, Organisations } from './organisations.ts'
import { Operations } from './operations.ts'
import { QuotaOverrides } from './quota-overrides.ts'
import { quotaOverrides } from './quota-overrides-store.ts'
import { createBuiltInQuotas, Quotas, quotas } from './quotas.ts'
import { quotaUsages } from './usage.ts'

/** Every collection of the area. */
export const taxonomyCollections: readonly Collection<never>[] = [
  organisations,
  groups,
  workspaces,
  quotas,
  quotaOverrides,
  quotaUsages,
]

/** The area's handlers, bound to its routes. */
export function taxonomy(parts: Parts<TaxonomyOperation>): readonly BoundRoute[] {
  return taxonomyRoutes({
    organisations: new Organisations(parts),
    quotas: new Quotas(parts),
    quotaOverrides: new QuotaOverrides(parts),
    operations: new Operations(parts),
    filterSchemas: new FilterSchemas(),
  })
}

/** What exists from the first start: the quotas, and the platform's own organisation and workspace (conventions §3). */
export async function startTaxonomy(tx: Transaction, now: number): Promise<void> {
  await createBuiltInQuotas(tx, now)
  if (await tx.get(organisations, systemOrganisationId)) return
  const system = newOrganisation(systemOrganisationId, formatMillis(now), {
    name: 'ninefold-system',
    display_name: 'Ninefold system',
    description: 'Holds what the platform itself needs.',
    contact_email: '',
    labels: {},
  })
  await tx.insert(organisations, { ...system, workspace_count: 1 })
  await tx.insert(workspaces, {
    id: platformWorkspaceId,
    name: 'platform',
    organisation_id: systemOrganisationId,
    parent_group_id: '',
  })
}
