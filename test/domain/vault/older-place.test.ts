import { expect, it } from 'vitest'
import { areas } from '../../../server/areas.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { addTenant } from '../../areas/members.ts'
import { olderPlace } from '../../areas/older-place.ts'
import { whileOpen } from '../../areas/while-open.ts'
import { secretCalls } from './tenant-secrets.ts'

it('a store from before the vault serves its workspaces after one start, and after another', async () => {
  const older = areas.map(({ domain }) => domain.name).filter(name => name !== 'vault')
  const { filled, place } = await olderPlace(older, api => addTenant(api, 'acme'))
  await expect(doctorFindings(place)).rejects.toThrow()
  const secrets: string[] = []
  for (const name of ['first', 'second']) {
    await whileOpen(place, async api => {
      expect(await doctorFindings(place)).toEqual([])
      const { add, create, read } = secretCalls({ api }, filled.workspace)
      const secret = await create(name)
      await add(secret, name)
      secrets.push(secret)
      expect(await Promise.all(secrets.map(each => read(each, 'latest')))).toEqual(
        ['first', 'second'].slice(0, secrets.length),
      )
      expect(await doctorFindings(place)).toEqual([])
    })
  }
})
