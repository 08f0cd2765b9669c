import { vmAlreadyExists } from '../../../output/compute/errors.ts'
import { vmsList } from '../../../output/compute/filters.ts'
import type { Vm } from '../../../output/compute/types.ts'
import type { Collection } from '../../ports/store.ts'
import type { DriverName } from '../../ports/topology.ts'
import type { Holding } from './transitions.ts'

/** The row of a virtual machine. */
export interface StoredVm extends Vm {
  /** The id of the operation that changes the machine; empty without one. */
  readonly operation_id: string
  /** The capacity that the machine holds in its pool. */
  readonly holds: Holding
  /** The driver of the deployment target below its pool; empty before the machine has a pool. */
  readonly driver: DriverName | ''
  /** The size of the disks that an update is deleting, in GiB. Quota and capacity count these disks until the end. */
  readonly removed_gib: `${number}`
  /**
   * The times of the last restarts after crashes, in milliseconds since 1970, separated by commas; empty without such a
   * restart.
   */
  readonly crash_times: string
  /** Whether the last suspension for the state of the workspace failed, so that the machine is stopped instead. */
  readonly lifecycle: '' | 'SUSPEND_FAILED'
  /** GIVEN if a caller set `cpu.cores_per_socket`; DERIVED if this number follows the number of processors. */
  readonly cores: 'GIVEN' | 'DERIVED'
}

/** The virtual machines of all workspaces. */
export const vmCollection: Collection<StoredVm> = {
  name: 'compute_vms',
  id: 'id',
  list: vmsList,
  // Machines are always listed below a workspace, so the index of the default order begins with `workspace_id`.
  listedBelow: 'workspace_id',
  columns: { workspace_id: 'STRING', engine: 'STRING' },
  hidden: ['operation_id', 'holds', 'driver', 'removed_gib', 'crash_times', 'lifecycle', 'cores'],
  uniques: [
    {
      fields: ['workspace_id', 'name'],
      taken: ({ name }) =>
        vmAlreadyExists(`a virtual machine named ${name} exists in the workspace`, {
          resource: { type: 'compute.vms', name },
        }),
    },
  ],
  // The index ends with `name`, the default order, so that a list of the machines with one status needs no sorting.
  indexes: [['workspace_id', 'status', 'name']],
  indexedMaps: ['labels'],
}
