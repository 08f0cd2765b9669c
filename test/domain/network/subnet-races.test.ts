import { beforeAll, describe, expect, it } from 'vitest'
import type { Ninefold } from '../../../output/client.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { race, raceRounds, type Racers } from '../../areas/race.ts'
import { testPlatform } from '../../areas/test-platform.ts'
import { areasWithMachines } from './machines/machine-area.ts'
import { callsOf, tenantNetwork, type TenantNetwork } from './machines/tenant-network.ts'
import { afterTests } from '../../undo.ts'

const engine = 'native'

/** True for a long run, which prints the number of each combination of outcomes. */
const isLong = process.env['NINEFOLD_RACE_LAPS'] !== undefined

let net: TenantNetwork
/**
 * The calls through a second platform on the same PostgreSQL; on SQLite the calls of `net`, because only one process
 * can open the file.
 */
let other: ReturnType<typeof callsOf>

beforeAll(async () => {
  net = await tenantNetwork(afterTests)
  const { storeUrl } = net.platform.config
  const second =
    storeUrl === undefined
      ? net.platform
      : await testPlatform({ config: { storeUrl }, later: afterTests, areas: areasWithMachines })
  other = callsOf((await second.admin()).api, net.workspace)
})

const path = () => ({ workspace: net.workspace, engine })

/**
 * Creates a VPC and a subnet of eight addresses with `count` machines; returns the ids of the VPC, the subnet and the
 * machines.
 */
async function filled(count: number) {
  const vpc = await net.vpc('net', '10.20.0.0/16')
  const subnet = await net.subnet(vpc, 's1', '10.20.1.0/29')
  const machines: string[] = []
  for (let i = 0; i < count; i += 1) machines.push(await net.machine(`m-${i}`, subnet))
  return { vpc, subnet, machines }
}

const deleteSubnet = ({ network }: Ninefold, id: string) => network.deleteSubnet({ ...path(), id })

const deleteVpc = ({ network }: Ninefold, id: string) => network.deleteVpc({ ...path(), id })

async function clear(): Promise<void> {
  const { compute, network } = net.api
  for await (const { attachment } of network.iterateLogicalPorts(path()))
    await compute.deleteVm({ workspace: net.workspace, id: attachment.resource_id })
  for await (const { id } of network.iterateSubnets(path())) await deleteSubnet(net.api, id)
  for await (const { id } of network.iterateVpcs(path())) await deleteVpc(net.api, id)
}

interface Race {
  readonly name: string
  readonly prepare: (round: number) => Promise<Racers>
  readonly documented: readonly string[]
}

const races: readonly Race[] = [
  {
    name: 'two machines and the last address',
    async prepare() {
      const { subnet } = await filled(3)
      return [net, other].map((by, i) => () => by.machine(`last-${i}`, subnet))
    },
    documented: ['OK, SUBNET_EXHAUSTED', 'SUBNET_EXHAUSTED, OK'],
  },
  {
    name: 'two machines and one requested address',
    async prepare() {
      const { subnet } = await filled(0)
      return [net, other].map((by, i) => () => by.machine(`asked-${i}`, subnet, '10.20.1.4'))
    },
    documented: ['OK, IP_ADDRESS_IN_USE', 'IP_ADDRESS_IN_USE, OK'],
  },
  {
    name: 'two overlapping subnets',
    async prepare() {
      const vpc = await net.vpc('net', '10.20.0.0/16')
      const blocks = ['10.20.4.0/24', '10.20.4.128/25']
      return [net, other].map((by, i) => () => by.subnet(vpc, `s-${i}`, blocks[i] ?? ''))
    },
    documented: ['OK, SUBNET_CIDR_OVERLAP', 'SUBNET_CIDR_OVERLAP, OK'],
  },
  {
    name: 'two subnets of one name',
    async prepare() {
      const vpc = await net.vpc('net', '10.20.0.0/16')
      return [net, other].map((by, i) => () => by.subnet(vpc, 'same', `10.20.${i}.0/24`))
    },
    documented: ['OK, SUBNET_ALREADY_EXISTS', 'SUBNET_ALREADY_EXISTS, OK'],
  },
  {
    name: 'the deletion of a subnet and its use',
    async prepare() {
      const { subnet } = await filled(0)
      return [() => deleteSubnet(net.api, subnet), () => other.machine('user', subnet)]
    },
    documented: ['OK, VM_SUBNET_NOT_FOUND', 'SUBNET_IN_USE, OK'],
  },
  {
    name: 'the deletion of a subnet and a release',
    async prepare() {
      const { machines, subnet } = await filled(1)
      return [() => deleteSubnet(net.api, subnet), () => other.deleteMachine(machines[0] ?? '')]
    },
    documented: ['OK, OK', 'SUBNET_IN_USE, OK'],
  },
  {
    name: 'a release and an allocation in a full subnet',
    async prepare() {
      const { machines, subnet } = await filled(4)
      return [() => net.deleteMachine(machines[2] ?? ''), () => other.machine('next', subnet)]
    },
    documented: ['OK, OK', 'OK, SUBNET_EXHAUSTED'],
  },
  {
    name: 'new reserved ranges and an allocation',
    async prepare() {
      const { subnet: id } = await filled(3)
      const body = { reserved_ranges: [{ start: '10.20.1.2', end: '10.20.1.5' }] }
      const update = { ...path(), id, update_mask: 'reserved_ranges', body }
      return [() => net.api.network.updateSubnet(update), () => other.machine('late', id)]
    },
    documented: ['OK, OK', 'OK, SUBNET_EXHAUSTED'],
  },
  {
    name: 'new blocks of a VPC and a new subnet',
    async prepare() {
      const id = await net.vpc('net', '10.20.0.0/16')
      const update = { ...path(), id, update_mask: 'cidr_blocks', body: { cidr_blocks: ['10.30.0.0/16'] } }
      return [() => net.api.network.updateVpc(update), () => other.subnet(id, 's1', '10.20.1.0/24')]
    },
    documented: ['OK, SUBNET_CIDR_OUTSIDE_VPC', 'VPC_CIDR_IN_USE, OK'],
  },
  {
    name: 'the deletion of a VPC and a new subnet',
    async prepare() {
      const id = await net.vpc('net', '10.20.0.0/16')
      return [() => deleteVpc(net.api, id), () => other.subnet(id, 's1', '10.20.1.0/24')]
    },
    documented: ['OK, VPC_NOT_FOUND', 'VPC_IN_USE, OK'],
  },
  {
    name: 'the deletion of a machine and its new labels',
    async prepare() {
      const { machines } = await filled(1)
      const [id = ''] = machines
      const update = { workspace: net.workspace, id, update_mask: 'labels', body: { labels: { tier: 'web' } } }
      return [() => net.deleteMachine(id), () => other.api.compute.updateVm(update)]
    },
    documented: ['OK, OK', 'OK, VM_NOT_FOUND'],
  },
]

describe('concurrent calls', () => {
  it.each(races)(
    '$name have documented outcomes',
    { timeout: 60_000 + raceRounds * 2000 },
    async ({ documented, name, prepare }) => {
      const outcomes = await race(raceRounds, prepare, clear)
      if (isLong) console.log(`${name}: ${[...outcomes].map(([outcome, count]) => `${outcome} ${count}`).join('; ')}`)
      expect([...outcomes.keys()].filter(outcome => !documented.includes(outcome))).toEqual([])
      expect([...outcomes.values()].reduce((sum, count) => sum + count, 0)).toBe(raceRounds)
    },
  )

  it('leave a sound store', async () => {
    expect(await doctorFindings(net.platform.config, areasWithMachines)).toEqual([])
  })
})
