import { formatMillis } from '../../../runtime/timestamps.ts'
import type { OperationError } from '../../ports/procedures.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import type { Taxonomy } from '../../ports/taxonomy.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { repositoryCollection } from '../repositories/repositories-store.ts'
import { isInProgress, putScan } from './scan-rows.ts'
import { scanCollection, type ScanResult, type StoredScan } from '../scan-results/scans-store.ts'

/** The place of a scan. */
export type ScanPlace = Pick<StoredScan, 'id' | 'repository_id' | 'workspace_id'>

/** A report of a scan, and the place of the scan. */
export type ReportPlace = ScanPlace & Pick<StoredScan, 'report_id'>

/** Locks the repository and the scan of an artifact, after the organisation is shared. Returns the scan, if there is one. */
export async function lockScan(
  tx: Transaction,
  taxonomy: Pick<Taxonomy, 'share'>,
  { id, repository_id, workspace_id }: ScanPlace,
): Promise<Stored<StoredScan> | undefined> {
  await taxonomy.share(tx, workspaceScope(workspace_id))
  await tx.lock(repositoryCollection, repository_id)
  return tx.lock(scanCollection, id)
}

/** Locks a scan as `lockScan` does. Returns undefined if it has another report meanwhile, or was deleted. */
export async function lockReport(
  tx: Transaction,
  taxonomy: Pick<Taxonomy, 'share'>,
  place: ReportPlace,
): Promise<Stored<StoredScan> | undefined> {
  const stored = await lockScan(tx, taxonomy, place)
  return stored?.value.report_id === place.report_id ? stored : undefined
}

/** A result that a scan puts in place of the one before. */
export interface NewResult {
  readonly result: ScanResult
  /** The advisories of the result, as `StoredScan.advisories`. */
  readonly advisories: string
}

/** Returns a scan with a new result; its rows and its bill of materials of before are left to the worker. */
export function withResult(scan: StoredScan, { advisories, result }: NewResult): StoredScan {
  const before = scan.result?.sbom?.digest
  const isOld = before !== undefined && before !== result.sbom?.digest
  const others = scan.old_bills.filter(digest => digest !== result.sbom?.digest)
  return { ...scan, result, advisories, is_untidy: true, old_bills: isOld ? [...others, before] : others }
}

/** Ends a scan that is in progress with a result. `now` is in milliseconds since 1970. */
export async function succeed(
  tx: Transaction,
  stored: Stored<StoredScan>,
  made: NewResult,
  now: number,
): Promise<void> {
  const { error: _error, ...scan } = withResult(stored.value, made)
  await putScan(tx, stored, { ...scan, state: 'REGISTRY_SCAN_STATE_SUCCEEDED', end_time: formatMillis(now) })
}

/** Ends all scans of an operation that are in progress without a result. `now` is in milliseconds since 1970. */
export async function failScans(
  tx: Transaction,
  taxonomy: Pick<Taxonomy, 'share'>,
  operation: string,
  { description, reason }: OperationError,
  now: number,
): Promise<void> {
  const scans: StoredScan[] = []
  for await (const { value } of tx.each(scanCollection, { operation_id: operation })) scans.push(value)
  for (const scan of scans) {
    const stored = await lockScan(tx, taxonomy, scan)
    if (!stored || !isInProgress(stored.value)) continue
    const state = reason === 'SCAN_UNSUPPORTED' ? 'REGISTRY_SCAN_STATE_UNSUPPORTED' : 'REGISTRY_SCAN_STATE_FAILED'
    await putScan(tx, stored, { ...stored.value, state, end_time: formatMillis(now), error: { reason, description } })
  }
}

/** Ends a scan in error, and puts a result without findings in place unless the result of before has some. */
export async function endWithout(
  tx: Transaction,
  stored: Stored<StoredScan>,
  made: NewResult,
  { description, reason }: OperationError,
  now: number,
): Promise<void> {
  const scan = stored.value.result?.counts ? stored.value : withResult(stored.value, made)
  const end = {
    state: 'REGISTRY_SCAN_STATE_FAILED',
    end_time: formatMillis(now),
    error: { reason, description },
  } as const
  await putScan(tx, stored, { ...scan, ...end })
}
