import { onTestFinished } from 'vitest'
import type { Ninefold } from '../../../../output/client.ts'
import { addTenant } from '../../../areas/members.ts'
import { testPlatform, type TestPlatform } from '../../../areas/test-platform.ts'
import type { Later } from '../../../server/store/harness.ts'
import { areasWithMachines } from './machine-area.ts'

const engine = 'native'

/** The optional members of a subnet's body. */
export type SubnetMembers = Partial<Parameters<Ninefold['network']['createSubnet']>[0]['body']>

/** The calls of one caller in a workspace with machines, with short parameters. */
export interface TenantNetwork {
  readonly platform: TestPlatform
  readonly api: Ninefold
  readonly organisation: string
  readonly workspace: string
  /** Creates a VPC and returns its id. */
  vpc(name: string, ...blocks: string[]): Promise<string>
  /** Creates a subnet and returns its id. */
  subnet(vpc_id: string, name: string, cidr_block: string, more?: SubnetMembers): Promise<string>
  /** Creates a machine on a subnet and returns its id. */
  machine(name: string, subnet_id: string, ip_address?: string): Promise<string>
  deleteMachine(id: string): Promise<unknown>
  getSubnet(id: string): ReturnType<Ninefold['network']['getSubnet']>
  /** Returns the only port of a machine. */
  portOf(
    machine: string,
  ): Promise<Awaited<ReturnType<Ninefold['network']['listLogicalPorts']>>['logical_ports'][number]>
}

/** Returns shorthand functions for the calls of a caller in a workspace. */
export function callsOf(api: Ninefold, workspace: string): Omit<TenantNetwork, 'platform' | 'organisation'> {
  const { compute, network } = api
  const path = { workspace, engine }
  return {
    api,
    workspace,
    vpc: async (name, ...cidr_blocks) =>
      (await network.createVpc({ ...path, body: { name, region: 'local1', cidr_blocks } })).resource_id,
    subnet: async (vpc_id, name, cidr_block, more = {}) =>
      (await network.createSubnet({ ...path, body: { name, vpc_id, cidr_block, ...more } })).resource_id,
    async machine(name, subnet_id, ip_address) {
      const network_interfaces = [{ subnet_id, ...(ip_address !== undefined && { ip_address }) }]
      const size = { cpu: { count: 1 }, memory_mib: 512, boot_disk: { image: 'debian-13', size_gib: 10 } }
      const body = { name, zone: 'local1-a', ...size, network_interfaces }
      return (await compute.createVm({ workspace, body })).resource_id
    },
    deleteMachine: id => compute.deleteVm({ workspace, id }),
    getSubnet: id => network.getSubnet({ ...path, id }),
    async portOf(machine) {
      const { logical_ports } = await network.listLogicalPorts({
        ...path,
        filter: `attachment.resource_id = "${machine}"`,
      })
      const [port] = logical_ports
      if (!port || logical_ports.length > 1) throw new Error(`machine ${machine} has ${logical_ports.length} ports`)
      return port
    },
  }
}

/** Opens a platform with machines and one tenant; `later` closes the platform. */
export async function tenantNetwork(later: Later = onTestFinished): Promise<TenantNetwork> {
  const platform = await testPlatform({ later, areas: areasWithMachines })
  const { api } = await platform.admin()
  const { organisation, workspace } = await addTenant(api, 'acme')
  return { platform, organisation, ...callsOf(api, workspace) }
}
