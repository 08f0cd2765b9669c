import { setTimeout as nextPoll } from 'node:timers/promises'
import type { Ninefold } from '../../../output/client.ts'
import type { VmInput, VmUpdate } from '../../../output/compute/types.ts'
import type { Random } from '../../areas/random.ts'
import type { RandomKind, RandomThing } from '../../areas/random-mutations.ts'
import { setSchedulable } from './sites.ts'

/** The workspace, the subnets and the zones in which machines are created. */
export interface VmPlace {
  readonly organisation: string
  readonly workspace: string
  readonly subnets: readonly string[]
  readonly zones: readonly string[]
}

const refusals: readonly string[] = [
  'VM_NOT_FOUND',
  'VM_ALREADY_EXISTS',
  'VM_STATE_INVALID',
  'VM_OPERATION_IN_PROGRESS',
  'VM_MUST_BE_STOPPED',
  'VM_DELETION_PROTECTED',
  'VM_SAVED_STATE_EXISTS',
  'VM_NUMA_INVALID',
  'VM_NUMA_UNSATISFIABLE',
  'VM_SUBNET_REGION_MISMATCH',
  'DISK_SHRINK_UNSUPPORTED',
  'ZONE_NOT_AVAILABLE',
  'ZONE_CAPACITY_EXHAUSTED',
  'SUBNET_EXHAUSTED',
  'QUOTA_EXCEEDED',
  'WORKSPACE_NOT_ACTIVE',
]

const metadata = (random: Random): Record<string, string> => {
  if (random.percent(60)) return {}
  const key = random.oneOf(['sim.fail', 'sim.crash-after-ms', 'sim.guest-shutdown-after-ms', 'sim.ignore-acpi'])
  const fails = ['provision', 'start', 'stop', 'suspend', 'resume', 'update']
  return { [key]: key === 'sim.fail' ? random.oneOf(fails) : key === 'sim.ignore-acpi' ? 'true' : '50' }
}

const interfaces = (random: Random, { subnets }: VmPlace) =>
  subnets.filter(() => random.percent(40)).map(subnet_id => ({ subnet_id }))

const disks = (random: Random) =>
  ['data', 'logs'].filter(() => random.percent(40)).map(name => ({ name, size_gib: 1 + random.below(3) }))

function body(random: Random, place: VmPlace): VmInput {
  const count = random.oneOf([1, 2, 4])
  const nodes = Array.from({ length: count }, () => ({ vcpus: 1, memory_mib: 256 }))
  return {
    name: `vm-${random.below(30)}`,
    zone: random.oneOf(place.zones),
    cpu: { count },
    memory_mib: 256 * count,
    boot_disk: { image: 'tiny', size_gib: 1 + random.below(3) },
    data_disks: disks(random),
    network_interfaces: interfaces(random, place),
    metadata: metadata(random),
    auto_restart: random.percent(50),
    start_on_create: random.percent(80),
    ...(random.percent(30) && { numa: { nodes } }),
  }
}

function change(random: Random, place: VmPlace): VmUpdate {
  return random.oneOf<() => VmUpdate>([
    () => ({ labels: { turn: String(random.below(9)) } }),
    () => ({ metadata: metadata(random) }),
    () => ({ boot_disk: { size_gib: 1 + random.below(5) } }),
    () => ({ data_disks: disks(random) }),
    () => ({ network_interfaces: interfaces(random, place) }),
    () => ({ cpu: { count: random.oneOf([1, 2, 4]) }, memory_mib: 256 * random.oneOf([1, 2, 4]) }),
    () => ({ deletion_protection: random.percent(20) }),
  ])()
}

/** Waits until a machine is in no transient status, or is gone. */
async function rests({ compute }: Ninefold, workspace: string, id: string): Promise<void> {
  const until = performance.now() + 60_000
  for (;;) {
    const vm = await compute.getVm({ workspace, id }).catch(() => undefined)
    if (!vm || /_(?:RUNNING|STOPPED|SUSPENDED|ERROR)$/.test(vm.status)) return
    if (performance.now() > until) throw new Error(`machine ${id} is still ${vm.status}`)
    await nextPoll(2)
  }
}

/** Returns the mutations of machines, of which some do not wait for the end of an earlier operation. */
function machines(api: Ninefold, place: VmPlace): RandomKind {
  const { compute } = api
  const { workspace } = place
  const turn = async (id: string, random: Random): Promise<unknown> => {
    if (random.percent(70)) await rests(api, workspace, id)
    const to = { workspace, id, body: {} }
    const grace_period_seconds = random.below(2)
    const stop = { ...to, body: { grace_period_seconds, discard_saved_state: random.percent(50) } }
    const update = async () => {
      const given = change(random, place)
      return compute.updateVm({ ...to, update_mask: maskOf(given), body: given })
    }
    return random.oneOf<() => Promise<unknown>>([
      update,
      update,
      () => compute.startVm(to),
      () => compute.startVm(to),
      () => compute.stopVm(stop),
      () => compute.suspendVm(to),
      () => compute.resumeVm(to),
      () => compute.restartVm({ ...to, body: { grace_period_seconds } }),
      () => compute.resetVm(to),
    ])()
  }
  return {
    name: 'machine',
    refusals,
    weight: 40,
    async create(random): Promise<RandomThing> {
      const { resource_id: id } = await compute.createVm({ workspace, body: body(random, place) })
      return { update: again => turn(id, again), delete: () => compute.deleteVm({ workspace, id }) }
    },
  }
}

/** Returns the mask that names the members of an update. The mask names the size of a boot disk alone. */
const maskOf = ({ boot_disk, ...others }: VmUpdate): string =>
  [...(boot_disk ? ['boot_disk.size_gib'] : []), ...Object.keys(others)].join()

/** Returns mutations that cordon a zone or suspend the workspace. The creation of the kind undoes both. */
function weather(api: Ninefold, { organisation, workspace: id, zones }: VmPlace): RandomKind {
  const call = { organisation, id, body: {} }
  const thing: RandomThing = {
    update: () => api.taxonomy.suspendWorkspace(call),
    delete: random => setSchedulable(api, random.oneOf(zones), false),
  }
  return {
    name: 'weather',
    refusals: ['WORKSPACE_STATE_INVALID'],
    weight: 2,
    async create() {
      for (const zone of zones) await setSchedulable(api, zone, true)
      const { state } = await api.taxonomy.getWorkspace({ organisation, id })
      if (state !== 'TAXONOMY_LIFECYCLE_STATE_ACTIVE') await api.taxonomy.resumeWorkspace(call)
      return thing
    },
  }
}

/** Returns the kinds of random mutations: machines, and changes of their zones and of their workspace. */
export const vmKinds = (api: Ninefold, place: VmPlace): readonly RandomKind[] => [
  machines(api, place),
  weather(api, place),
]
