import { expect, it } from 'vitest'
import { doctorFindings } from '../../areas/doctor.ts'
import { olderPlace } from '../../areas/older-place.ts'
import { whileOpen } from '../../areas/while-open.ts'
import { addTenant } from '../../areas/members.ts'

it('a store from before the area serves its workspaces after one start, and after another', async () => {
  const { filled, place } = await olderPlace(['iam', 'taxonomy'], api => addTenant(api, 'acme'))
  await expect(doctorFindings(place)).rejects.toThrow()
  const { workspace } = filled
  const engine = 'native'
  for (const [before, name] of ['first', 'second'].entries()) {
    await whileOpen(place, async ({ network }) => {
      expect(await doctorFindings(place)).toEqual([])
      expect((await network.listVpcs({ workspace, engine })).vpcs).toHaveLength(before)
      const body = { name, region: 'local1', cidr_blocks: ['10.20.0.0/16'] }
      const { resource_id: id } = await network.createVpc({ workspace, engine, body })
      expect(await network.getVpc({ workspace, engine, id })).toMatchObject({ name, workspace_id: workspace })
      const subnet = { name: 's1', vpc_id: id, cidr_block: '10.20.1.0/24' }
      const { resource_id } = await network.createSubnet({ workspace, engine, body: subnet })
      expect(await network.getSubnet({ workspace, engine, id: resource_id })).toMatchObject({
        available_addresses: 252,
      })
      expect(await doctorFindings(place)).toEqual([])
    })
  }
})
