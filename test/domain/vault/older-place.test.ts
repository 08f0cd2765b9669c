import { expect, it } from 'vitest'
import { safeKeys, safes, workspaceKeys } from '../../../domain/vault/seal/seal-store.ts'
import { areas } from '../../../server/areas.ts'
import { storeCollections, type StorePlace } from '../../../server/platform-store.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { addTenant } from '../../areas/members.ts'
import { olderPlace } from '../../areas/older-place.ts'
import { whileOpen } from '../../areas/while-open.ts'
import { openBeside } from '../../server/store/left-place.ts'
import { keyCalls } from './keys/tenant-keys.ts'
import { secretCalls } from './tenant-secrets.ts'

/** Counts the safes, the safe keys and the keys of workspaces. */
async function keysIn(place: StorePlace): Promise<readonly number[]> {
  const store = await openBeside(place, storeCollections(areas))
  try {
    return [await store.count(safes), await store.count(safeKeys), await store.count(workspaceKeys)]
  } finally {
    await store.close()
  }
}

it('a store from before the vault serves its workspaces after one start, and after another', async () => {
  const older = areas.map(({ domain }) => domain.name).filter(name => name !== 'vault')
  const { filled, place } = await olderPlace(older, async api => {
    const { organisation, workspace } = await addTenant(api, 'acme')
    const { resource_id: later } = await api.taxonomy.createWorkspace({ organisation, body: { name: 'later' } })
    await api.taxonomy.suspendWorkspace({ organisation, id: later, body: {} })
    return { later, organisation, workspace }
  })
  await expect(doctorFindings(place)).rejects.toThrow()
  const secrets: string[] = []
  for (const name of ['first', 'second']) {
    await whileOpen(place, async api => {
      expect(await doctorFindings(place)).toEqual([])
      expect(await keysIn(place)).toEqual([1, 1, secrets.length === 0 ? 0 : 1])
      const { add, create, read } = secretCalls({ api }, filled.workspace)
      const secret = await create(name)
      await add(secret, name)
      secrets.push(secret)
      expect(await Promise.all(secrets.map(each => read(each, 'latest')))).toEqual(
        ['first', 'second'].slice(0, secrets.length),
      )
      await keyCalls({ api }, filled.workspace).create(name, 'AES_256_GCM')
      expect(await doctorFindings(place)).toEqual([])
    })
  }
  await whileOpen(place, async api => {
    await api.taxonomy.resumeWorkspace({ organisation: filled.organisation, id: filled.later, body: {} })
    const { add, create, read } = secretCalls({ api }, filled.later)
    const secret = await create('third')
    await add(secret, 'third')
    expect(await read(secret, 'latest')).toBe('third')
    expect(await keysIn(place)).toEqual([1, 1, 2])
    expect(await doctorFindings(place)).toEqual([])
  })
})
