import type { RegistryArea } from '../../../output/registry/area.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Effect } from '../../ports/operations.ts'
import type { Transaction } from '../../ports/store.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { dropRow } from '../drop-row.ts'
import type { StoredArtifact } from '../artifacts/artifacts-store.ts'
import { quotas, quotaScope } from '../quotas/quotas.ts'
import { newScan, putScan } from './scan-rows.ts'
import { scanCollection, scanDayCollection, waitingCollection } from '../scan-results/scans-store.ts'

/** The kind of the work that scans an artifact. */
export const scanning = 'registry.scan'

/** The input of the work. */
export interface ScanOrder {
  readonly repository: string
  readonly digest: string
  /** The id of the report. */
  readonly report: string
  /** The name of the scanner. */
  readonly scanner: string
  /** Whether the scan stores a bill of materials. */
  readonly makesBill: boolean
}

/** A scan that begins. */
export interface BegunScan {
  readonly artifact: StoredArtifact
  /** The id of the report. */
  readonly report: string
  readonly scanner: string
  readonly makesBill: boolean
  /** The time in milliseconds since 1970. */
  readonly now: number
}

/** Returns the effect of the operation of a scan. */
export function scanEffect({ artifact, makesBill, report, scanner }: BegunScan): Effect<RegistryArea> {
  const { digest, repository_id, workspace_id } = artifact
  const input: ScanOrder = { repository: repository_id, digest, report, scanner, makesBill }
  return {
    type: 'CREATE',
    resourceType: 'registry.scans',
    resourceId: report,
    scope: workspaceScope(workspace_id),
    procedure: { kind: scanning, input },
  }
}

/**
 * Writes the row of a scan that begins with an operation, in a transaction that has locked the row of its repository.
 * Throws QUOTA_EXCEEDED once the workspace has begun `registry.scansPerDay` scans today.
 */
export async function beginScan(
  tx: Transaction,
  { artifact, now, report, scanner }: BegunScan,
  operationId: string,
): Promise<void> {
  const { row_id, workspace_id } = artifact
  const before = await tx.lock(scanCollection, row_id)
  const row = newScan(artifact, before?.value, { report_id: report, operation_id: operationId, scanner_name: scanner })
  await putScan(tx, before, row)
  await dropRow(tx, waitingCollection, row_id)
  await countScan(tx, workspace_id, now)
}

/** Returns the day of a time in milliseconds since 1970, in UTC. */
export const dayOf = (now: number): string => formatMillis(now).slice(0, 10)

async function countScan(tx: Transaction, workspace: string, now: number): Promise<void> {
  const stored = await tx.lock(scanDayCollection, workspace)
  const day = dayOf(now)
  const begun = stored?.value.day === day ? stored.value.begun + 1 : 1
  const row = { id: workspace, day, begun }
  if (stored) await tx.update(scanDayCollection, workspace, row, stored.version)
  else await tx.insert(scanDayCollection, row)
  await quotas.consumeLimit(tx, 'registry.scansPerDay', quotaScope(workspace), {}, 1)
}
