import type { ParsedVm } from '../../../output/compute/types.ts'
import type { Standard } from '../../resources/mutation-rules.ts'
import { coresPerSocket } from '../vms/vm-form.ts'
import { statusOf } from '../vms/transitions.ts'
import type { StoredVm } from '../vms/vms-store.ts'
import { minGibOf, type BootSource } from './boot-source.ts'

/**
 * Returns the row of a new machine without its region, its pool and its interfaces, which the transaction of the
 * creation adds.
 */
export function newVm(standard: Standard, body: ParsedVm, source: BootSource): StoredVm {
  const { boot_disk, cpu, etag: _precondition, network_interfaces: _later, start_on_create: _now, ...settable } = body
  return {
    ...standard,
    ...settable,
    region: '',
    cpu: { ...cpu, cores_per_socket: coresPerSocket(cpu) },
    boot_disk: { ...boot_disk, size_gib: boot_disk.size_gib ?? minGibOf(source) ?? 1 },
    network_interfaces: [],
    status: statusOf('PROVISIONING'),
    status_reason: '',
    status_message: '',
    resource_pool: '',
    boot_count: 0,
    operation_id: '',
    holds: 'POWERED',
    driver: '',
    removed_gib: '0',
    crash_times: '',
    lifecycle: '',
    cores: cpu.cores_per_socket === undefined ? 'DERIVED' : 'GIVEN',
  }
}
