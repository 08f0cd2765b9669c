import {
  artifactNotFound,
  layerLimitExceeded,
  scannerFailed,
  scanUnsupported,
  vulnerabilityDatabaseMissing,
} from '../../../output/registry/errors.ts'
import type { OperationError } from '../../ports/procedures.ts'
import { ScannerFault } from '../scanning/external-scanner.ts'
import { LayerFault } from '../scanning/inventory.ts'

/** A reason for which a scan ends in error. */
export class ScanFault extends Error {
  readonly error: OperationError

  constructor(error: Omit<OperationError, 'description'>, description: string) {
    super(description)
    this.name = 'ScanFault'
    this.error = { ...error, description }
  }
}

/** Returns the fault of a scan of something that has no image. */
export const unsupported = (): ScanFault => new ScanFault(scanUnsupported, 'the artifact has no image to scan')

/** Returns the fault of a scan without advisories. */
export const databaseMissing = (): ScanFault =>
  new ScanFault(
    vulnerabilityDatabaseMissing,
    'no advisories are loaded; an operator must put OSV records into the folder of `registry.osv_dir`',
  )

/** Returns the fault of a scan by a scanner that is not configured any more. */
export const absentScanner = (name: string): ScanFault =>
  new ScanFault(scannerFailed, `the scanner ${name} is not configured on this server`)

/** Returns the fault of a scan whose artifact was deleted meanwhile. */
export function artifactGone(repository: string, digest: string): ScanFault {
  const {
    code = 0,
    message,
    reason,
  } = artifactNotFound(`repository ${repository} has no artifact ${digest} any more`, {
    resource: { type: 'registry.artifacts', name: `${repository}/${digest}` },
  })
  return new ScanFault({ code, reason }, message)
}

/** Returns the fault that an error of a scanner means; undefined for an error that may pass. */
export function scanFaultOf(error: unknown): ScanFault | undefined {
  if (error instanceof ScanFault) return error
  if (error instanceof ScannerFault) return new ScanFault(scannerFailed, error.message)
  if (!(error instanceof LayerFault)) return undefined
  return new ScanFault(error.kind === 'limit' ? layerLimitExceeded : scannerFailed, error.message)
}
