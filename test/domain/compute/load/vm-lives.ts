import { setTimeout as sleep } from 'node:timers/promises'
import type { ComputeClient } from '../../../../output/compute/client.ts'
import type { ComputeOperation } from '../../../../output/compute/types.ts'
import type { Ninefold } from '../../../../output/client.ts'
import { isEnded } from '../../../../runtime/operations.ts'
import { addTenant } from '../../../areas/members.ts'
import { tinyBody } from '../tenant-vms.ts'

/** The place of the virtual machines of a load. */
export interface LoadPlace {
  readonly workspace: string
  readonly subnet: string
}

/** Adds a tenant with a subnet of 4,000 addresses, and raises quotas and capacity for thousands of machines. */
export async function addLoadPlace(api: Ninefold): Promise<LoadPlace> {
  const { taxonomy, topology } = api
  const { workspace } = await addTenant(api, 'acme')
  const quotas = ['compute.vms', 'compute.vcpus', 'compute.memory_mib', 'compute.disk_gib']
  for (const id of quotas) await taxonomy.updateQuota({ id, update_mask: 'default_limit', body: { default_limit: -1 } })
  const limit = {
    scope_type: 'NETWORK_SCOPE_TYPE_WORKSPACE',
    scope_id: workspace,
    dimensions: { region: 'local1' },
    limit: -1,
  } as const
  await api.network.createQuotaLimit({ quota_definition: 'network.logicalPorts', body: limit })
  const overcommit = { vcpus: 16, memory_mib: 1, disk_gib: 1 }
  await topology.updateResourcePool({ id: 'local1-a-default', update_mask: 'overcommit', body: { overcommit } })
  const at = { workspace, engine: 'native' }
  const vpc = { name: 'main', region: 'local1', cidr_blocks: ['10.20.0.0/16'] }
  const { resource_id: vpc_id } = await api.network.createVpc({ ...at, body: vpc })
  const body = { name: 's', vpc_id, cidr_block: '10.20.16.0/20' }
  const { resource_id: subnet } = await api.network.createSubnet({ ...at, body })
  return { workspace, subnet }
}

/** The calls that an actor makes on each of its machines. */
export const verbsOfLife = ['create', 'start', 'stop', 'delete'] as const

type Verb = (typeof verbsOfLife)[number]

/** The part of one client in a load. */
export interface Part {
  readonly place: LoadPlace
  /** The prefix of the names of the machines. */
  readonly name: string
  readonly count: number
  /** The verbs of each machine in order. A verb begins after the previous verb of the machine has ended. */
  readonly verbs: readonly Verb[]
}

/** Calls each verb on all machines before the next verb. Returns the ended operations. */
export async function leadVms(compute: ComputeClient, part: Part): Promise<readonly ComputeOperation[]> {
  const machines: Machine[] = Array.from({ length: part.count }, (_, i) => ({ name: `${part.name}-${i}`, id: '' }))
  const ended: ComputeOperation[] = []
  for (const verb of part.verbs) {
    for (const machine of machines) {
      if (machine.last) ended.push(await endOf(compute, machine.last))
      machine.last = await callOf(compute, part.place, verb, machine)
      machine.id = machine.last.resource_id
    }
  }
  for (const { last } of machines) if (last) ended.push(await endOf(compute, last))
  return ended
}

interface Machine {
  readonly name: string
  id: string
  last?: ComputeOperation
}

function callOf(
  compute: ComputeClient,
  { subnet, workspace }: LoadPlace,
  verb: Verb,
  { id, name }: Machine,
): Promise<ComputeOperation> {
  const request = { workspace, id, body: {} }
  const network_interfaces = [{ subnet_id: subnet }]
  switch (verb) {
    case 'create':
      return compute.createVm({ workspace, body: { ...tinyBody, name, network_interfaces, start_on_create: false } })
    case 'start':
      return compute.startVm(request)
    case 'stop':
      return compute.stopVm(request)
    case 'delete':
      return compute.deleteVm({ workspace, id })
  }
}

/** The time in which an operation must end. */
const patienceMs = 120_000

async function endOf(compute: ComputeClient, { id }: ComputeOperation): Promise<ComputeOperation> {
  const until = performance.now() + patienceMs
  for (;;) {
    const operation = await compute.getOperation({ id })
    if (isEnded(operation)) return operation
    if (performance.now() > until) throw new Error(`operation ${id} is still ${operation.status}`)
    await sleep(20)
  }
}
