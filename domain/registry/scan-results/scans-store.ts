import type {
  Sbom,
  ScanError,
  ScannedOs,
  Scanner,
  ScanState,
  VulnerabilitySummary,
} from '../../../output/registry/types.ts'
import type { Collection } from '../../ports/store.ts'
import type { Finding } from '../scanning/advisories.ts'
import type { FoundPackage } from '../scanning/inventory.ts'

/** The name of the built-in scanner. */
export const nativeScanner = 'native'

/** The findings of a result by severity, without those that a scan policy of the moment excepts. */
export type FindingCounts = Omit<VulnerabilitySummary, 'excepted'>

/** The result of a scan: the last that found out what an image contains. */
export interface ScanResult {
  /** The id of the rows with the findings. */
  readonly id: string
  /** The id of the rows with the packages; empty if there are none. */
  readonly inventory: string
  readonly scanner: Scanner
  /** Absent if no operating system was found, or if the scanner does not tell. */
  readonly os?: ScannedOs
  /** Absent if the scanner does not tell. */
  readonly package_count?: number
  /** Absent if there were no advisories to compare the packages with. */
  readonly counts?: FindingCounts
  readonly unsupported_sources: readonly string[]
  readonly sbom?: Sbom
}

/**
 * The row of the newest scan of an artifact. While a scan runs, and after a failure, `result` is that of the scan before.
 */
export interface StoredScan {
  /** The id of the row of the artifact. */
  readonly id: string
  readonly workspace_id: string
  readonly repository_id: string
  readonly digest: string
  readonly kind: 'IMAGE' | 'INDEX' | 'ARTIFACT'
  /** The id of the report, which each scan has anew. */
  readonly report_id: string
  /** The operation of the scan; for the child of an index, it may be that of the index. */
  readonly operation_id: string
  readonly state: ScanState
  /** The name of the scanner of the newest scan. */
  readonly scanner_name: string
  readonly start_time?: string
  readonly end_time?: string
  readonly error?: ScanError
  readonly result?: ScanResult
  /** The advisories with which the packages of the result were compared; empty if the result has no packages. */
  readonly advisories: string
  /** Whether rows of earlier results, or bills of materials of earlier results, may be left. */
  readonly is_untidy: boolean
  /** The digests of the bills of materials of earlier results. */
  readonly old_bills: readonly string[]
}

/** The scans of all artifacts. */
export const scanCollection: Collection<StoredScan> = {
  name: 'registry_scans',
  id: 'id',
  columns: {
    workspace_id: 'STRING',
    repository_id: 'STRING',
    operation_id: 'STRING',
    kind: 'STRING',
    state: 'STRING',
    advisories: 'STRING',
    is_untidy: 'BOOLEAN',
  },
  indexes: [
    ['workspace_id', 'state'],
    ['repository_id'],
    ['operation_id'],
    ['state'],
    ['kind', 'advisories'],
    ['is_untidy'],
  ],
}

/** A row with a part of a result. */
export interface ResultPart {
  /** The ids of the scan and of the result, and the number of the part in six digits, joined by slashes. */
  readonly id: string
  readonly repository_id: string
  /** The id of the scan. */
  readonly scan: string
  /** The id of the result. */
  readonly result: string
}

/** The columns and indexes of collections whose rows are parts of results. */
const partsOfResults = {
  id: 'id',
  columns: { repository_id: 'STRING', scan: 'STRING', result: 'STRING' },
  indexes: [['repository_id'], ['scan', 'result']],
} as const

/** Up to 100 findings, in the order of reports. */
export interface StoredFindings extends ResultPart {
  readonly findings: readonly Finding[]
}

/** The findings of all results, in rows that hold a page each, so that no read of a page parses all of them. */
export const findingsCollection: Collection<StoredFindings> = {
  name: 'registry_scan_findings',
  ...partsOfResults,
}

/** Up to 500 packages, in the order of the inventory. */
export interface StoredPackages extends ResultPart {
  readonly packages: readonly FoundPackage[]
}

/** The packages of all results, which are compared with the advisories again when these change. */
export const packagesCollection: Collection<StoredPackages> = {
  name: 'registry_scan_packages',
  ...partsOfResults,
}

/** An artifact that waits for an automatic scan. */
export interface WaitingScan {
  /** The id of the row of the artifact. */
  readonly id: string
  readonly workspace_id: string
  readonly repository_id: string
  readonly digest: string
  /** The time since which it waits. */
  readonly since: string
  /** What queued it: the push of the artifact, or the schedule of a policy. */
  readonly trigger: 'ON_PUSH' | 'SCHEDULED'
}

/** The artifacts that wait for an automatic scan. */
export const waitingCollection: Collection<WaitingScan> = {
  name: 'registry_waiting_scans',
  id: 'id',
  columns: { workspace_id: 'STRING', repository_id: 'STRING', since: 'TIMESTAMP' },
  indexes: [['repository_id'], ['workspace_id'], ['since']],
}

/** A scan policy whose time has come, while its artifacts are put among those that wait. */
export interface ScheduledScans {
  /** The id of the policy. */
  readonly id: string
  readonly workspace_id: string
  /** The time of the schedule. */
  readonly since: string
  /** The id of the row of the last artifact that was looked at; empty before the first. */
  readonly after: string
}

/** The scan policies whose time has come. */
export const scheduledCollection: Collection<ScheduledScans> = {
  name: 'registry_scheduled_scans',
  id: 'id',
  columns: { workspace_id: 'STRING' },
  indexes: [['workspace_id']],
}

/** The number of scans that a workspace has begun on one day. */
export interface ScanDay {
  /** The id of the workspace. */
  readonly id: string
  /** The day in UTC: `2026-01-31`. */
  readonly day: string
  readonly begun: number
}

/** The days of all workspaces; a worker sets `begun` to 0 after midnight. */
export const scanDayCollection: Collection<ScanDay> = {
  name: 'registry_scan_days',
  id: 'id',
  columns: { day: 'STRING', begun: 'INTEGER' },
  indexes: [['day']],
}
