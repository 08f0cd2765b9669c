import type { Stored, Transaction } from '../../ports/store.ts'
import type { StoredArtifact } from '../artifacts/artifacts-store.ts'
import { showOverview } from './overview.ts'
import { scanCollection, type StoredScan } from '../scan-results/scans-store.ts'

/** A scan that begins. */
export interface NewScan {
  readonly report_id: string
  /** The operation of the scan, or of the scan of an index that lists the artifact. */
  readonly operation_id: string
  readonly scanner_name: string
}

const inProgress: ReadonlySet<string> = new Set(['REGISTRY_SCAN_STATE_PENDING', 'REGISTRY_SCAN_STATE_RUNNING'])

/** Returns whether a scan has not ended. */
export const isInProgress = ({ state }: Pick<StoredScan, 'state'>): boolean => inProgress.has(state)

/** Returns the row of a scan that begins; the result of the scan before stays. */
export function newScan(artifact: StoredArtifact, before: StoredScan | undefined, scan: NewScan): StoredScan {
  const { digest, kind, repository_id, row_id, workspace_id } = artifact
  const { advisories = '', old_bills = [], result } = before ?? {}
  return {
    id: row_id,
    workspace_id,
    repository_id,
    digest,
    kind: kindOf(kind),
    ...scan,
    state: 'REGISTRY_SCAN_STATE_PENDING',
    ...(result && { result }),
    advisories,
    is_untidy: true,
    old_bills,
  }
}

const kindOf = (kind: StoredArtifact['kind']): StoredScan['kind'] =>
  kind === 'REGISTRY_ARTIFACT_KIND_IMAGE' ? 'IMAGE' : kind === 'REGISTRY_ARTIFACT_KIND_INDEX' ? 'INDEX' : 'ARTIFACT'

/** Writes the row of a scan and its overview, in a transaction that has locked the row of the repository. */
export async function putScan(
  tx: Transaction,
  before: Stored<StoredScan> | undefined,
  scan: StoredScan,
): Promise<void> {
  if (before) await tx.update(scanCollection, scan.id, scan, before.version)
  else await tx.insert(scanCollection, scan)
  await showOverview(tx, scan)
}
