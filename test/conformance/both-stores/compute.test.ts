import { expect } from 'vitest'
import type { Existing } from '../../../generator/conform/subject.ts'
import { atScale } from '../../domain/compute/tenant-vms.ts'
import { proveDocument } from '../documented.ts'
import type { Arranged } from '../existing.ts'

/** The disks are those of the example of an update, so that an update has no work for a driver. */
const size = {
  zone: 'local1-a',
  cpu: { count: 1 },
  memory_mib: 8192,
  boot_disk: { image: 'debian-13', size_gib: 20 },
  data_disks: [{ name: 'cache', size_gib: 50 }],
}

let count = 0

/**
 * Returns a function that makes a running machine in a new workspace and calls `verbs` on the machine sequentially.
 * After each call, the function waits until the machine is RUNNING, STOPPED or SUSPENDED. The function returns the path
 * parameters of the machine.
 */
const after =
  (...verbs: readonly string[]): Arranged[string] =>
  async (run, read): Promise<Existing> => {
    const name = `made-${(count += 1)}`
    const organisation = await run('/taxonomy/v1/organisations', { name })
    const workspace = await run(`/taxonomy/v1/organisations/${organisation}/workspaces`, { name })
    const vms = `/compute/v1/workspaces/${workspace}/engines/native/vms`
    const id = await run(vms, { name, ...size })
    const rests = () =>
      expect.poll(async () => String((await read(`${vms}/${id}`))['status'])).toMatch(/_(?:RUNNING|STOPPED|SUSPENDED)$/)
    await rests()
    for (const verb of verbs) {
      await run(`${vms}/${id}:${verb}`, {})
      await rests()
    }
    return { path: { workspace, id } }
  }

await proveDocument(
  'compute',
  // The subnet of the example is of another workspace.
  { createVm: () => ({ network_interfaces: [] }) },
  {
    getVm: after(),
    deleteVm: after(),
    async updateVm(run, read, call) {
      return { ...(await after('stop')(run, read, call)), body: { network_interfaces: [] } }
    },
    startVm: after('stop'),
    stopVm: after(),
    suspendVm: after(),
    resumeVm: after('suspend'),
    restartVm: after(),
    resetVm: after(),
  },
  atScale(0),
)
