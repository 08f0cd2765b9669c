import { beforeAll, describe, expect, it } from 'vitest'
import { doctorFindings } from '../../../areas/doctor.ts'
import { faultOf, remove, senderOf, settled, type Send } from '../hostile-requests.ts'
import { replaced, values } from '../hostile-values.ts'
import { tenantVms, type TenantVms } from '../tenant-vms.ts'
import { afterTests } from '../../../undo.ts'

let tenant: TenantVms
let send: Send
let vms: string

beforeAll(async () => {
  tenant = await tenantVms(0, { later: afterTests })
  send = senderOf(tenant, (await tenant.platform.admin()).token)
  vms = `workspaces/${tenant.workspace}/engines/native/vms`
})

/** Returns a body with every settable member, so that a test can replace each member. */
const whole = (ip_address = '10.20.1.77') => ({
  display_name: '',
  description: '',
  labels: {},
  zone: 'local1-a',
  cpu: { count: 2, cores_per_socket: 2, threads_per_core: 1 },
  memory_mib: 256,
  numa: { nodes: [1, 1].map(vcpus => ({ vcpus, memory_mib: 128 })) },
  boot_disk: { image: 'tiny', size_gib: 1 },
  data_disks: [{ name: 'data', size_gib: 1 }],
  network_interfaces: [{ subnet_id: tenant.subnet, ip_address }],
  metadata: { 'user-data': 'x' },
  auto_restart: true,
  deletion_protection: false,
})

/** The paths of members. The number in a path is the index of an item in a list. */
const vmMembers = `
  name display_name description labels zone cpu cpu.count cpu.cores_per_socket cpu.threads_per_core cpu.x memory_mib
  numa numa.nodes numa.nodes.0 numa.nodes.0.vcpus numa.nodes.0.memory_mib numa.nodes.0.host_node
  boot_disk boot_disk.image boot_disk.size_gib boot_disk.source_object boot_disk.source_artifact
  data_disks data_disks.0.name data_disks.0.size_gib network_interfaces network_interfaces.0.subnet_id
  network_interfaces.0.ip_address network_interfaces.0.name network_interfaces.0.logical_port_id
  metadata metadata.user-data metadata.__proto__ auto_restart deletion_protection start_on_create etag
  id status operation_id __proto__`
  .trim()
  .split(/\s+/)

describe('hostile input', () => {
  it.each(vmMembers)('at %s of a new machine is answered by what createVm declares', async member => {
    const faults: string[] = []
    for (const [i, value] of values.entries()) {
      const body = replaced({ ...whole(), name: `fresh-${i}` }, member.split('.'), value)
      const answer = await send('POST', vms, body)
      faults.push(...faultOf('createVm', value, answer))
      const created = await settled(tenant, answer)
      if (created !== undefined) await remove(tenant, created)
    }
    expect(faults).toEqual([])
  })

  it.each(vmMembers)('at %s of a stopped machine is answered by what updateVm declares', async member => {
    const faults: string[] = []
    const { id } = await tenant.created('target', { ...whole(), start_on_create: false })
    for (const [i, value] of values.entries()) {
      const body = replaced(whole(), member.split('.'), value)
      const query = i % 2 === 0 ? '' : `?update_mask=${member.split('.')[0]}`
      const answer = await send('PATCH', `${vms}/${id}${query}`, body)
      faults.push(...faultOf('updateVm', value, answer))
      await settled(tenant, answer)
    }
    await remove(tenant, id)
    expect(faults).toEqual([])
  })

  it('leaves a sound store, and no internal fault in the log', async () => {
    expect(tenant.platform.lines.filter(line => line.includes('INTERNAL'))).toEqual([])
    expect(await doctorFindings(tenant.platform.config)).toEqual([])
  })
})
