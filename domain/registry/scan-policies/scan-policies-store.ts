import { scanPolicyAlreadyExists } from '../../../output/registry/errors.ts'
import { scanPoliciesList } from '../../../output/registry/filters.ts'
import type { ScanPolicy } from '../../../output/registry/types.ts'
import type { Collection } from '../../ports/store.ts'

/** The row of a scan policy. */
export interface StoredScanPolicy extends ScanPolicy {
  /** The time of the next scheduled scans; empty unless the policy is enabled and its trigger is SCHEDULED. */
  readonly next_scan_time: string
}

/** The scan policies of all workspaces and engines. */
export const scanPolicyCollection: Collection<StoredScanPolicy> = {
  name: 'registry_scan_policies',
  id: 'id',
  list: scanPoliciesList,
  listedBelow: 'workspace_id',
  columns: { workspace_id: 'STRING', engine: 'STRING', next_scan_time: 'STRING' },
  hidden: ['next_scan_time'],
  uniques: [
    {
      fields: ['workspace_id', 'engine', 'name'],
      taken: ({ name }) =>
        scanPolicyAlreadyExists(`a scan policy named ${name} exists in the workspace`, {
          resource: { type: 'registry.scanPolicies', name },
        }),
    },
  ],
  indexes: [['next_scan_time']],
  indexedMaps: ['labels'],
}
