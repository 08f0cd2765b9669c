import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { portCollection } from '../../../domain/network/ports/ports-store.ts'
import { freeRanges, rangeKey } from '../../../domain/network/subnets/free-ranges-store.ts'
import { subnetCollection } from '../../../domain/network/subnets/subnets-store.ts'
import { vpcCollection } from '../../../domain/network/vpcs-store.ts'
import type { Transaction } from '../../../domain/ports/store.ts'
import { parseAddress } from '../../../domain/addresses/ipv4.ts'
import type { Ninefold } from '../../../output/client.ts'
import { storeCollections, type StorePlace } from '../../../server/platform-store.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { whileOpen } from '../../areas/while-open.ts'
import { addTenant } from '../../areas/members.ts'
import { copyPlace, openBeside, testStorePlace } from '../../server/store/left-place.ts'
import { copy, patch, remove } from '../taxonomy/broken-store.ts'
import { areasWithMachines } from './machines/machine-area.ts'
import { callsOf } from './machines/tenant-network.ts'
import { afterTests } from '../../undo.ts'

const collections = storeCollections(areasWithMachines)

let left: StorePlace
let ids: Awaited<ReturnType<typeof fill>>

/**
 * Creates a subnet with the ports .2, .3 and .9, and the reserved range .8 to .10, and an empty subnet; returns their
 * ids. The free ranges of the first subnet end with .7, .8, .10 and .13.
 */
async function fill(api: Ninefold) {
  const { workspace } = await addTenant(api, 'acme')
  const net = callsOf(api, workspace)
  const vpc = await net.vpc('net-1', '10.20.0.0/16')
  const reserved_ranges = [{ start: '10.20.1.8', end: '10.20.1.10' }]
  const subnet = await net.subnet(vpc, 's1', '10.20.1.0/28', { reserved_ranges })
  const other = await net.subnet(vpc, 's2', '10.20.2.0/28')
  await net.machine('m-1', subnet)
  const second = await net.machine('m-2', subnet)
  await net.machine('m-3', subnet, '10.20.1.9')
  return { vpc, subnet, other, port: (await net.portOf(second)).id }
}

beforeAll(async () => {
  left = await testStorePlace(afterTests)
  ids = await whileOpen(left, fill, areasWithMachines)
})

/** Returns the id of the free range of the first subnet that ends with the address `last`. */
const range = (last: string): string => rangeKey(ids.subnet, parseAddress(last) ?? 0)

const number = (address: string): number => parseAddress(address) ?? 0

const tampered: readonly (readonly [string, (tx: Transaction) => Promise<unknown>, () => readonly string[]])[] = [
  ['nothing', async () => undefined, () => []],
  [
    'a subnet with another number of allocated addresses',
    tx => patch(tx, subnetCollection, ids.subnet, { allocated_addresses: 4 }),
    () => [`network.subnets ${ids.subnet}: has the allocated_addresses 4; it has 3`],
  ],
  [
    'a subnet with another number of available addresses',
    tx => patch(tx, subnetCollection, ids.subnet, { available_addresses: 9, usable_addresses: 11 }),
    () => [
      `network.subnets ${ids.subnet}: has the usable_addresses 11; it has 12`,
      `network.subnets ${ids.subnet}: has the available_addresses 9; it has 7`,
    ],
  ],
  [
    'a subnet in no block of its VPC',
    tx => patch(tx, vpcCollection, ids.vpc, { cidr_blocks: ['10.20.2.0/24'] }),
    () => [`network.subnets ${ids.subnet}: has the block 10.20.1.0/28, which lies in no block of its VPC`],
  ],
  [
    'a subnet of another region than its VPC',
    tx => patch(tx, vpcCollection, ids.vpc, { region: 'local9' }),
    () =>
      [ids.subnet, ids.other].map(id => `network.subnets ${id}: has the region local1; its VPC has the region local9`),
  ],
  [
    'a subnet of another workspace than its VPC',
    tx => patch(tx, vpcCollection, ids.vpc, { workspace_id: 'elsewhere' }),
    () => [ids.subnet, ids.other].map(id => `network.subnets ${id}: lies in another workspace than its VPC, elsewhere`),
  ],
  [
    'a free range that is gone',
    tx => remove(tx, freeRanges, range('10.20.1.7')),
    () => [`network.subnets ${ids.subnet}: lacks the row of its free range 10.20.1.4 to 10.20.1.7, not reserved`],
  ],
  [
    'a free range that contains the address of a port',
    tx => patch(tx, freeRanges, range('10.20.1.7'), { first: number('10.20.1.3') }),
    () => [
      `network.freeRanges ${range('10.20.1.7')}: is 10.20.1.3 to 10.20.1.7, not reserved, and must be 10.20.1.4 to 10.20.1.7, not reserved`,
    ],
  ],
  [
    'a free range on the other side of the reserved ranges',
    tx => patch(tx, freeRanges, range('10.20.1.10'), { is_reserved: false }),
    () => [
      `network.freeRanges ${range('10.20.1.10')}: is 10.20.1.10 to 10.20.1.10, not reserved, and must be 10.20.1.10 to 10.20.1.10, reserved`,
    ],
  ],
  [
    'a free range of addresses that are not free',
    tx =>
      tx.insert(freeRanges, {
        id: range('10.20.1.3'),
        subnet_id: ids.subnet,
        first: number('10.20.1.2'),
        last: number('10.20.1.3'),
        is_reserved: false,
      }),
    () => [
      `network.freeRanges ${range('10.20.1.3')}: is 10.20.1.2 to 10.20.1.3, not reserved, and must not exist, because it is not a whole range of free addresses`,
    ],
  ],
  [
    'a free range of no subnet',
    tx => tx.insert(freeRanges, { id: 'gone/0', subnet_id: 'gone', first: 0, last: 0, is_reserved: false }),
    () => ['network.freeRanges gone/0: is a range of subnet gone, which does not exist'],
  ],
  [
    'a port with an address of the platform',
    tx => patch(tx, portCollection, ids.port, { ip_address: '10.20.1.1' }),
    () => [
      `network.logicalPorts ${ids.port}: has the address 10.20.1.1, which no port of its subnet may have`,
      `network.subnets ${ids.subnet}: has the available_addresses 7; it has 8`,
      `network.freeRanges ${range('10.20.1.7')}: is 10.20.1.4 to 10.20.1.7, not reserved, and must be 10.20.1.3 to 10.20.1.7, not reserved`,
    ],
  ],
  [
    'a port with a MAC address of another port',
    tx => patch(tx, portCollection, ids.port, { mac_address: '02:00:00:00:00:01' }),
    () => [
      `network.logicalPorts ${ids.port}: has the MAC address 02:00:00:00:00:01, which does not follow from its id`,
    ],
  ],
  [
    'a port of another region than its subnet',
    tx => patch(tx, portCollection, ids.port, { region: 'local9' }),
    () => [`network.logicalPorts ${ids.port}: has the region local9; its subnet has the region local1`],
  ],
  [
    'a subnet that overlaps another',
    tx => patch(tx, subnetCollection, ids.other, { cidr_block: '10.20.1.0/28', gateway_address: '10.20.1.1' }),
    () => [
      `network.subnets ${ids.other}: overlaps subnet ${ids.subnet} of its VPC, 10.20.1.0/28`,
      `network.freeRanges ${rangeKey(ids.other, number('10.20.2.13'))}: is 10.20.2.2 to 10.20.2.13, not reserved, and must not exist, because it is not a whole range of free addresses`,
      `network.subnets ${ids.other}: lacks the row of its free range 10.20.1.2 to 10.20.1.13, not reserved`,
    ],
  ],
]

describe('the doctor', () => {
  it.each(tampered)('names %s', async (_, change, expected) => {
    const place = await copyPlace(left, collections, onTestFinished)
    const store = await openBeside(place, collections)
    await store.tx(change)
    await store.close()
    expect(await doctorFindings(place, areasWithMachines)).toEqual(expected())
  })

  it('names a port whose subnet does not exist', async () => {
    const place = await copyPlace(left, collections, onTestFinished)
    const store = await openBeside(place, collections)
    await store.tx(tx => remove(tx, subnetCollection, ids.subnet))
    await store.close()
    const findings = await doctorFindings(place, areasWithMachines)
    expect(findings).toContain(
      `network.logicalPorts ${ids.port}: names network.subnets ${ids.subnet}, which does not exist`,
    )
    expect(findings).toContain(
      `network.freeRanges ${range('10.20.1.7')}: is a range of subnet ${ids.subnet}, which does not exist`,
    )
  })

  it('names a missing row of a port, by the reference and the free addresses', async () => {
    const place = await copyPlace(left, collections, onTestFinished)
    const store = await openBeside(place, collections)
    await store.tx(async tx => {
      await copy(tx, portCollection, ids.port, { id: ids.vpc, ip_address: '10.20.1.5', mac_address: 'x', name: 'x' })
      await remove(tx, portCollection, ids.port)
    })
    await store.close()
    const findings = await doctorFindings(place, areasWithMachines)
    expect(findings.join('\n')).toContain(`has the holder network.logicalPorts ${ids.port}, which does not exist`)
    expect(findings.join('\n')).toContain(`uses network.subnets ${ids.subnet} without a reference`)
  })
})
