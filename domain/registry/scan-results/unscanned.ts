import type { ScanOverview } from '../../../output/registry/types.ts'

/** The overview of an artifact that was never scanned. */
export const unscanned: ScanOverview = {
  state: 'REGISTRY_SCAN_STATE_NOT_SCANNED',
  critical: 0,
  high: 0,
  medium: 0,
  low: 0,
  unknown: 0,
  fixable: 0,
}
