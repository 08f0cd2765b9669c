import { vmNumaInvalid } from '../../../output/compute/errors.ts'
import type {
  VmBootDiskInput,
  VmCpuInput,
  VmDataDisk,
  VmInput,
  VmMetadata,
  VmNetworkInterfaceInput,
  VmNumaInput,
} from '../../../output/compute/types.ts'
import { faultAt, type FieldViolation } from '../../../runtime/errors.ts'
import { rulesOf, type FormRule, type FormRules } from '../../../runtime/form-rules.ts'
import { fieldInvalid } from '../../../runtime/refusal.ts'

/** The limits of metadata, in bytes of UTF-8 (compute.md 1). */
const maxValueBytes = 65_536
const maxMetadataBytes = 262_144

const rule = rulesOf<VmInput>()

const listRules: readonly FormRule[] = [
  rule(['data_disks'], ({ data_disks = [] }) => repeated(data_disks, 'data_disks', 'name')),
  rule(['network_interfaces'], ({ network_interfaces = [] }) =>
    repeated(network_interfaces, 'network_interfaces', 'subnet_id'),
  ),
  rule(['metadata'], ({ metadata = {} }) => metadataFaults(metadata)),
]

/** The rules for the bodies of creations and updates that need no stored row, keyed by operationId. */
export const vmForms: FormRules = {
  createVm: [
    rule(['cpu'], ({ cpu }) => cpuFaults(cpu)),
    rule(['boot_disk'], ({ boot_disk }) => sourceFaults(boot_disk)),
    ...listRules,
  ],
  updateVm: listRules,
}

/** Throws FIELD_INVALID unless the processors of a machine fill its sockets. */
export function requireCpuForm(cpu: VmCpuInput): void {
  const faults = cpuFaults(cpu)
  if (faults.length > 0) throw fieldInvalid(faults)
}

/** Throws VM_NUMA_INVALID unless the guest nodes have, in sum, the processors and the memory of the machine. */
export function requireNumaSums({
  cpu,
  memory_mib,
  numa,
}: {
  readonly cpu: Pick<VmCpuInput, 'count'>
  readonly memory_mib: number
  readonly numa?: VmNumaInput
}): void {
  if (!numa) return
  const sum = (member: 'vcpus' | 'memory_mib'): number => numa.nodes.reduce((all, node) => all + node[member], 0)
  const faults = [
    ...(sum('vcpus') === cpu.count ? [] : [`${sum('vcpus')} vcpus, the machine ${cpu.count}`]),
    ...(sum('memory_mib') === memory_mib ? [] : [`${sum('memory_mib')} MiB of memory, the machine ${memory_mib}`]),
  ]
  if (faults.length > 0) throw faultAt(vmNumaInvalid, 'numa.nodes', `the nodes have ${faults.join('; and ')}`)
}

/** Returns the number of cores of each socket; without a given number, one socket has all cores. */
export const coresPerSocket = ({ cores_per_socket, count, threads_per_core = 1 }: VmCpuInput): number =>
  cores_per_socket ?? count / threads_per_core

function cpuFaults(cpu: VmCpuInput): readonly FieldViolation[] {
  const { cores_per_socket, count, threads_per_core = 1 } = cpu
  const unit = (cores_per_socket ?? 1) * threads_per_core
  if (count % unit === 0) return []
  const cores = cores_per_socket === undefined ? '' : `${cores_per_socket} cores of `
  return [{ field: 'cpu.count', description: `must be a multiple of ${unit}, ${cores}${threads_per_core} threads` }]
}

function sourceFaults({ image = '', source_artifact, source_object }: VmBootDiskInput): readonly FieldViolation[] {
  const count = [image !== '', source_object, source_artifact].filter(Boolean).length
  if (count === 1) return []
  return [{ field: 'boot_disk', description: 'must name exactly one of image, source_object and source_artifact' }]
}

/** Returns a fault for each item of a list whose `member` has the value of an earlier item. */
function repeated<Item extends VmDataDisk | VmNetworkInterfaceInput>(
  items: readonly Item[],
  list: string,
  member: keyof Item & string,
): readonly FieldViolation[] {
  const values = items.map(item => item[member])
  return values.flatMap((value, i) =>
    values.indexOf(value) === i ? [] : [{ field: `${list}[${i}].${member}`, description: 'is given twice' }],
  )
}

function metadataFaults(metadata: VmMetadata): readonly FieldViolation[] {
  const sizes = Object.entries(metadata).map(([key, value]) => [key, Buffer.byteLength(value)] as const)
  const large = sizes.filter(([, bytes]) => bytes > maxValueBytes)
  const all = sizes.reduce((sum, [key, bytes]) => sum + Buffer.byteLength(key) + bytes, 0)
  return [
    ...large.map(([key]) => ({ field: `metadata.${key}`, description: `must have at most ${maxValueBytes} bytes` })),
    ...(all > maxMetadataBytes
      ? [{ field: 'metadata', description: `must have at most ${maxMetadataBytes} bytes of keys and values` }]
      : []),
  ]
}
