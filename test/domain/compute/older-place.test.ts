import { expect, it } from 'vitest'
import { doctorFindings } from '../../areas/doctor.ts'
import { addTenant } from '../../areas/members.ts'
import { olderPlace } from '../../areas/older-place.ts'
import { whileOpen } from '../../areas/while-open.ts'
import { atScale, tinyBody, vmCalls } from './tenant-vms.ts'

it('a store from before the area has machines in its workspaces after a start, and keeps them over one more', async () => {
  const { filled, place } = await olderPlace(['iam', 'taxonomy', 'topology', 'network'], api => addTenant(api, 'acme'))
  const { workspace } = filled
  const opened = { ...place, given: atScale(0) }
  for (const [before, name] of ['first', 'second'].entries()) {
    await whileOpen(opened, async api => {
      const { vms } = await api.compute.listVms({ workspace })
      expect(vms.map(({ status }) => status)).toEqual(Array.from({ length: before }, () => 'NATIVE_VM_STATUS_RUNNING'))
      const vm = await vmCalls(api, workspace).created(name, tinyBody)
      expect(vm).toMatchObject({ status: 'NATIVE_VM_STATUS_RUNNING', boot_count: 1 })
      expect(await doctorFindings(place)).toEqual([])
    })
  }
})
