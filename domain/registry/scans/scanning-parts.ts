import type { StepContext } from '../../ports/procedures.ts'
import type { StoredArtifact } from '../artifacts/artifacts-store.ts'
import type { RegistryEnvironment } from '../environment.ts'
import type { ScanOrder } from './begin-scan.ts'
import type { NewResult } from './end-scan.ts'
import type { StoredScan } from '../scan-results/scans-store.ts'

/** What the scan of one artifact works with. */
export interface ScanningParts<Checkpoint = unknown> {
  readonly environment: RegistryEnvironment
  readonly context: StepContext<ScanOrder, Checkpoint>
  /** The scan of the artifact, which is RUNNING. */
  readonly scan: StoredScan
  readonly artifact: StoredArtifact
}

/** A result whose rows are written. */
export interface Made {
  readonly kind: 'made'
  readonly made: NewResult
}
