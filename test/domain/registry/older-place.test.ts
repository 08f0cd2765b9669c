import { expect, it } from 'vitest'
import type { AccessRuleInput } from '../../../output/registry/types.ts'
import { areas } from '../../../server/areas.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { addTenant } from '../../areas/members.ts'
import { olderPlace } from '../../areas/older-place.ts'
import { whileOpen } from '../../areas/while-open.ts'
import { forgetTable, runSql, testStorePlace } from '../../server/store/left-place.ts'

it('a store from before the registry takes repositories in its workspaces', async () => {
  const older = areas.map(({ domain }) => domain.name).filter(name => name !== 'registry')
  const { filled, place } = await olderPlace(older, api => addTenant(api, 'acme'))
  await expect(doctorFindings(place)).rejects.toThrow()
  const at = { workspace: filled.workspace, engine: 'native' }
  await whileOpen(place, async ({ registry }) => {
    expect(await doctorFindings(place)).toEqual([])
    expect((await registry.listRepositories(at)).repositories).toEqual([])
    await registry.createRepository({ ...at, body: { name: 'api' } })
    expect(await doctorFindings(place)).toEqual([])
  })
  await whileOpen(place, async ({ registry }) => {
    expect((await registry.listRepositories(at)).repositories).toMatchObject([{ name: 'api', artifact_count: 0 }])
    expect(await doctorFindings(place)).toEqual([])
  })
})

it('one start records whom older access policies let pull', async () => {
  const place = await testStorePlace()
  const rule = (
    effect: 'ALLOW' | 'DENY',
    action: 'PULL' | 'PUSH',
    principal = 'ALL_AUTHENTICATED',
  ): AccessRuleInput => ({
    effect: `REGISTRY_POLICY_EFFECT_${effect}`,
    principals: [principal],
    actions: [`REGISTRY_ACTION_${action}`],
  })
  const { at, id, repository } = await whileOpen(place, async api => {
    const { workspace } = await addTenant(api, 'acme')
    const at = { workspace, engine: 'native' }
    const { registry } = api
    const { resource_id: repository } = await registry.createRepository({ ...at, body: { name: 'api' } })
    const rules = [rule('ALLOW', 'PULL'), rule('ALLOW', 'PUSH')]
    await registry.createAccessPolicy({ ...at, body: { name: 'signed-in', rules } })
    await registry.createAccessPolicy({ ...at, body: { name: 'denied', rules: [rule('DENY', 'PULL')] } })
    await registry.createAccessPolicy({ ...at, body: { name: 'off', enabled: false, rules } })
    const body = { name: 'public', rules: [rule('ALLOW', 'PULL', 'ALL_USERS')] }
    const { resource_id: id } = await registry.createRepositoryAccessPolicy({ ...at, repository, body })
    return { at, id, repository }
  })
  await forgetTable(place, 'registry_openings')
  await forgetTable(place, 'registry_opening_starts')
  await whileOpen(place, async ({ registry }) => {
    expect(await doctorFindings(place)).toEqual([])
    await registry.deleteRepositoryAccessPolicy({ ...at, repository, id })
  })
  await runSql(place, 'DELETE FROM registry_openings')
  await whileOpen(place, async () => {
    // Later starts do not look at all policies again.
    expect(await doctorFindings(place)).toEqual([expect.stringContaining('lets ALL_AUTHENTICATED pull')])
  })
})
