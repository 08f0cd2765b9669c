import type { ScanReportHandlers } from '../../../output/registry/handlers.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { getScanReport } from './get-report.ts'
import { scanArtifact } from './scan-artifact.ts'

/** Returns the handlers of scans and their reports. */
export const scans = (environment: RegistryEnvironment): ScanReportHandlers => ({
  getScanReport: (request, context) => getScanReport(environment, request, context),
  scanArtifact: (request, context) => scanArtifact(environment, request, context),
})
