import type { ScanOverview } from '../../../output/registry/types.ts'
import type { Transaction } from '../../ports/store.ts'
import { artifactCollection } from '../artifacts/artifacts-store.ts'
import type { StoredScan } from '../scan-results/scans-store.ts'
import { unscanned } from '../scan-results/unscanned.ts'

/** Returns the overview of an artifact with a scan; undefined if it has none. */
export function overviewOf(scan: StoredScan | undefined): ScanOverview {
  if (scan === undefined) return unscanned
  const { end_time, result, state } = scan
  const { none: _none, ...counts } = result?.counts ?? { ...unscanned, none: 0 }
  return { ...counts, state, ...(end_time !== undefined && { scan_time: end_time }) }
}

/** Writes the overview of a scan into the row of its artifact, in a transaction that has locked the row of its repository. */
export async function showOverview(tx: Transaction, scan: StoredScan): Promise<void> {
  const artifact = await tx.get(artifactCollection, scan.id)
  if (!artifact) return
  const next = { ...artifact.value, scan_overview: overviewOf(scan) }
  await tx.update(artifactCollection, artifact.id, next, artifact.version)
}
