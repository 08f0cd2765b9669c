import type { TaxonomyHandlers } from '../../output/taxonomy/handlers.ts'
import { formatMillis } from '../../runtime/timestamps.ts'
import type { Procedure } from '../ports/procedures.ts'
import { platformWorkspaceId, systemOrganisationId } from '../ports/reserved.ts'
import type { Collection, Transaction } from '../ports/store.ts'
import { areaBirths, births } from './births.ts'
import { cascadeProcedures } from './cascade/cascade.ts'
import { EffectiveQuotas } from './quotas/effective-quotas.ts'
import { FilterSchemas } from './filter-schemas.ts'
import { followings } from './cascade/following.ts'
import { Groups } from './groups.ts'
import { archivals, groups, organisations, trees, workspaces } from './tree/nodes.ts'
import { insertOrganisation, newOrganisation, Organisations } from './organisations.ts'
import { TaxonomyOperations } from './operations.ts'
import type { TaxonomyEnvironment } from './tree/taxonomy-environment.ts'
import { purgeProcedures } from './cascade/purge.ts'
import { quotaOverrideHandlers } from './quotas/quota-overrides.ts'
import { quotaOverrides } from './quotas/quota-overrides-store.ts'
import { createBuiltInQuotas, SubtreeQuotas } from './quotas/quotas.ts'
import { quotas } from './quotas/quotas-store.ts'
import { followTimes, reconcileProcedure } from './cascade/reconcile.ts'
import { lockTree } from './tree/tree-lock.ts'
import { TreeReads } from './tree/tree-reads.ts'
import { quotaTotals, quotaUsages } from './quotas/usage.ts'
import { newChild } from './tree/new-child.ts'
import { Workspaces } from './workspaces.ts'

/** All collections of the area. */
export const taxonomyCollections: readonly Collection<never>[] = [
  organisations,
  trees,
  groups,
  workspaces,
  archivals,
  followings,
  areaBirths,
  births,
  quotas,
  quotaOverrides,
  quotaUsages,
  quotaTotals,
]

/** Returns the handlers of the area. */
export function taxonomyHandlers(parts: TaxonomyEnvironment): TaxonomyHandlers {
  const trees = new TreeReads(parts.store)
  return {
    organisations: new Organisations(parts),
    groups: new Groups(parts, trees),
    workspaces: new Workspaces(parts, trees),
    quotas: new SubtreeQuotas(parts),
    quotaOverrides: quotaOverrideHandlers(parts),
    effectiveQuotas: new EffectiveQuotas(parts),
    operations: new TaxonomyOperations(parts),
    filterSchemas: new FilterSchemas(),
  }
}

/** Returns the background procedures of the area, for the work after changes of state and deletions. */
export function taxonomyProcedures(
  parts: TaxonomyEnvironment,
  times = followTimes,
): readonly Procedure<never, never>[] {
  return [...cascadeProcedures(parts), reconcileProcedure(parts, times), ...purgeProcedures(parts, times)]
}

/**
 * Creates the missing rows that every start needs: the quotas, and the platform's own organisation and workspace
 * (conventions §3).
 */
export async function startTaxonomy(tx: Transaction, now: number): Promise<void> {
  await createBuiltInQuotas(tx, now)
  if (await tx.get(organisations, systemOrganisationId)) return
  const time = formatMillis(now)
  const system = newOrganisation(systemOrganisationId, time, {
    name: 'ninefold-system',
    display_name: 'Ninefold system',
    description: 'Holds what the platform itself needs.',
    contact_email: '',
    labels: {},
  })
  await insertOrganisation(tx, system)
  await lockTree(tx, systemOrganisationId, { workspaces: 1 })
  const platform = newChild(platformWorkspaceId, time, {
    organisation_id: systemOrganisationId,
    parent_group_id: '',
    name: 'platform',
    display_name: 'Platform',
    description: "Holds the platform's own secrets and telemetry.",
    labels: {},
  })
  await tx.insert(workspaces, platform)
}
