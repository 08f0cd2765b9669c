import type { Finding } from '../../ports/inspection.ts'
import type { Collection, Reader } from '../../ports/store.ts'
import { groupKind, workspaceKind } from '../tree/kinds.ts'
import { archivals, groups, organisations, trees, workspaces } from '../tree/nodes.ts'
import { isBuiltIn } from '../quotas/quotas-built-in.ts'
import { quotaTotals, quotaUsages } from '../quotas/usage.ts'
import { batches, documentsOf } from './batches.ts'
import { finding } from './finding.ts'

/** A collection whose rows have an owner in one of the collections `of`. */
interface Belonging<T> {
  readonly rows: Collection<T>
  readonly resourceType: string
  readonly owner: (row: T) => string
  readonly of: readonly Collection<never>[]
  /** Returns whether an owner exists in all stores, so that no row has to be read. */
  readonly isKnown?: (owner: string) => boolean
  /** The noun of the owner in messages for people. */
  readonly noun: string
}

/** Yields a finding for each row whose organisation, workspace, node or quota does not exist. */
export async function* inspectStrays(reader: Reader): AsyncGenerator<Finding, void, undefined> {
  const inOrganisation = {
    of: [organisations],
    noun: 'organisation',
    owner: (row: { readonly organisation_id: string }) => row.organisation_id,
  }
  // A missing built-in quota is reported once, and the next start creates it again.
  const ofQuota = {
    of: [],
    isKnown: isBuiltIn,
    noun: 'quota',
    owner: (row: { readonly quota_id: string }) => row.quota_id,
  }
  const usages = { rows: quotaUsages, resourceType: 'taxonomy.quotaUsages' }
  const totals = { rows: quotaTotals, resourceType: 'taxonomy.quotaTotals' }
  yield* straysAmong(reader, { rows: groups, resourceType: groupKind.resourceType, ...inOrganisation })
  yield* straysAmong(reader, { rows: workspaces, resourceType: workspaceKind.resourceType, ...inOrganisation })
  yield* straysAmong(reader, { ...totals, ...inOrganisation })
  yield* straysAmong(reader, { ...totals, ...ofQuota })
  yield* straysAmong(reader, { ...usages, of: [workspaces], noun: 'workspace', owner: row => row.workspace_id })
  yield* straysAmong(reader, { ...usages, ...ofQuota })
  yield* straysAmong(reader, { ...inOrganisation, rows: trees, resourceType: 'taxonomy.trees', owner: row => row.id })
  const nodes = {
    of: [organisations, groups, workspaces],
    noun: 'node',
    owner: (row: { readonly id: string }) => row.id,
  }
  yield* straysAmong(reader, { rows: archivals, resourceType: 'taxonomy.archivals', ...nodes })
}

async function* straysAmong<T>(reader: Reader, { isKnown, noun, of, owner, resourceType, rows }: Belonging<T>) {
  for await (const batch of batches(reader.each(rows))) {
    const owners = [...new Set(batch.map(({ value }) => owner(value)))]
    const found = new Set<string>()
    for (const collection of of) for (const id of (await documentsOf(reader, collection, owners)).keys()) found.add(id)
    for (const { id, value } of batch) {
      if (found.has(owner(value)) || isKnown?.(owner(value))) continue
      yield finding(
        resourceType,
        id,
        `belongs to ${noun} "${owner(value)}", which does not exist; the row must be deleted too`,
      )
    }
  }
}
