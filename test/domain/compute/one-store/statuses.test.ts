import { describe, expect, it } from 'vitest'
import { needOf } from '../../../../domain/compute/vms/capacity.ts'
import { bareStatus, portStates, stableStatuses, verbRows } from '../../../../domain/compute/vms/transitions.ts'
import { vmStatusValues } from '../../../../output/compute/types.ts'

const rows = Object.values(verbRows)
const all = vmStatusValues.filter(status => !status.endsWith('_UNSPECIFIED')).map(status => bareStatus({ status }))

describe('the table of statuses', () => {
  it('names every status, each as stable or as transient', () => {
    const transient = rows.map(row => row.transient)
    expect(new Set([...stableStatuses, ...transient])).toEqual(new Set(all))
    expect(transient.filter(status => stableStatuses.includes(status))).toEqual([])
  })

  it('leads every verb from stable statuses to stable statuses', () => {
    const ends = rows.flatMap(({ failure, from, success }) => [...from, failure, ...(success ? [success] : [])])
    expect(ends.filter(status => !stableStatuses.includes(status))).toEqual([])
  })

  it('lets every stable status be left by a deletion', () => {
    expect(new Set(verbRows.delete.from)).toEqual(new Set(stableStatuses))
  })

  it('has ports up exactly in the statuses of a powered machine, which may keep them', () => {
    const powered = ['RUNNING', 'RESTARTING', 'RESETTING', 'STOPPING', 'SUSPENDING']
    expect(all.filter(status => portStates[status] !== 'DOWN').toSorted()).toEqual(powered.toSorted())
  })
})

describe('the capacity of a machine', () => {
  const vm = {
    cpu: { count: 4, threads_per_core: 1 },
    memory_mib: 1025,
    boot_disk: { image: 'tiny', size_gib: 3 },
    data_disks: [{ name: 'data', size_gib: 2 }],
    removed_gib: '7',
    numa: { nodes: [{ vcpus: 4, memory_mib: 1025, host_node: 1 }] },
  } as const
  const numa = [{ vcpus: 4, memory_mib: 1025 }]

  it.each([
    ['DISKS', { vcpus: 0, memory_mib: 0, disk_gib: 12 }],
    ['SAVED', { vcpus: 0, memory_mib: 0, disk_gib: 14 }],
    ['POWERED', { vcpus: 4, memory_mib: 1025, disk_gib: 12, numa }],
    ['POWERED_AND_SAVED', { vcpus: 4, memory_mib: 1025, disk_gib: 14, numa }],
  ] as const)('%s', (holds, need) => {
    expect(
      needOf({ ...structuredClone(vm), data_disks: [...vm.data_disks], numa: { nodes: [...vm.numa.nodes] } }, holds),
    ).toEqual(need)
  })
})
