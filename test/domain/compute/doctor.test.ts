import { afterAll, beforeAll, expect, it } from 'vitest'
import { vmCollection, type StoredVm } from '../../../domain/compute/vms/vms-store.ts'
import { portCollection } from '../../../domain/network/ports/ports-store.ts'
import type { Collection, Transaction } from '../../../domain/ports/store.ts'
import { references } from '../../../domain/resources/references.ts'
import { allocations } from '../../../domain/topology/pools/allocations-store.ts'
import type { Vm } from '../../../output/compute/types.ts'
import { areas } from '../../../server/areas.ts'
import { storeCollections } from '../../../server/platform-store.ts'
import type { ServerStore } from '../../../server/store/server-store.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { openBeside } from '../../server/store/left-place.ts'
import { tenantVms, type TenantVms } from './tenant-vms.ts'

const undo: (() => void | Promise<void>)[] = []
let tenant: TenantVms
let vm: Vm
let store: ServerStore

beforeAll(async () => {
  tenant = await tenantVms(0, { later: each => void undo.push(each) })
  const interfaces = [{ subnet_id: tenant.subnet }]
  vm = await tenant.created('web-1', { network_interfaces: interfaces, data_disks: [{ name: 'data', size_gib: 2 }] })
  store = await openBeside(tenant.platform.config, storeCollections(areas))
  undo.push(() => store.close())
})

afterAll(async () => {
  for (const each of undo.toReversed()) await each()
})

/** Changes members of a row, and returns the change that undoes it. */
async function tampered<T extends object>(
  tx: Transaction,
  collection: Collection<T>,
  id: string,
  members: Partial<T>,
): Promise<(tx: Transaction) => Promise<unknown>> {
  const stored = await tx.lock(collection, id)
  if (!stored) throw new Error(`${collection.name} has no ${id}`)
  const { value } = stored
  const { version } = await tx.update(collection, id, { ...value, ...members }, stored.version)
  return undoing => undoing.update(collection, id, value, version)
}

/** Deletes a row, and returns the change that undoes it. */
async function dropped<T extends object>(tx: Transaction, collection: Collection<T>, id: string) {
  const stored = await tx.lock(collection, id)
  if (!stored) throw new Error(`${collection.name} has no ${id}`)
  await tx.delete(collection, id, stored.version)
  return (undoing: Transaction): Promise<unknown> => undoing.insert(collection, stored.value)
}

type Tamper = (tx: Transaction) => Promise<(tx: Transaction) => Promise<unknown>>

const ofVm =
  (members: Partial<StoredVm>): Tamper =>
  tx =>
    tampered(tx, vmCollection, vm.id, members)

const port = (): string => vm.network_interfaces[0]?.logical_port_id ?? ''

const tampers: readonly (readonly [name: string, tamper: Tamper, found: () => string])[] = [
  [
    'a transient status without an operation',
    ofVm({ status: 'NATIVE_VM_STATUS_STARTING' }),
    () => `compute.vms ${vm.id}: is STARTING without an operation`,
  ],
  [
    'an operation without work',
    ofVm({ operation_id: 'gone' }),
    () => `compute.vms ${vm.id}: is changed by operation gone, and no work will end it`,
  ],
  [
    'the capacity of another status',
    ofVm({ status: 'NATIVE_VM_STATUS_STOPPED' }),
    () => `compute.vms ${vm.id}: is STOPPED and holds POWERED; it must hold DISKS`,
  ],
  [
    'more memory than the ledger has',
    ofVm({ memory_mib: 256 }),
    () =>
      `compute.vms ${vm.id}: has the capacity {"disk_gib":3,"memory_mib":128,"vcpus":1}; it must have {"disk_gib":3,"memory_mib":256,"vcpus":1}`,
  ],
  [
    'another pool',
    ofVm({ resource_pool: 'elsewhere' }),
    () => `compute.vms ${vm.id}: names the pool elsewhere; its capacity is in local1-a-default`,
  ],
  [
    'an interface without a port',
    tx => tampered(tx, vmCollection, vm.id, { network_interfaces: [] }),
    () => `compute.vms ${vm.id}: has the logical port ${port()}, which no interface names`,
  ],
  [
    'a port of another state',
    tx => tampered(tx, portCollection, port(), { state: 'NETWORK_LOGICAL_PORT_STATE_DOWN' }),
    () => `compute.vms ${vm.id}: is RUNNING, but its logical port ${port()} is DOWN`,
  ],
  [
    'no allocation',
    tx => dropped(tx, allocations, `compute.vms/${vm.id}`),
    () => `compute.vms ${vm.id}: has no allocation of capacity`,
  ],
  [
    'no machine for a port and an allocation',
    tx => dropped(tx, vmCollection, vm.id),
    () => `compute.vms ${vm.id}: does not exist, and holds capacity of a resource pool`,
  ],
  [
    'no reference to the zone',
    async tx => {
      const found = await tx.find(references, { holder_id: vm.id, target_type: 'topology.zones' })
      return dropped(tx, references, found?.id ?? '')
    },
    () => `compute.vms ${vm.id}: has 0 references to zones; it must have one`,
  ],
]

it.each(tampers)('the doctor finds %s', async (_name, tamper, found) => {
  const { config } = tenant.platform
  expect(await doctorFindings(config)).toEqual([])
  const restore = await store.tx(tamper)
  expect(await doctorFindings(config)).toContain(found())
  await store.tx(restore)
})
