import { expect, it, onTestFinished } from 'vitest'
import { artifactCollection } from '../../../domain/registry/artifacts/artifacts-store.ts'
import { olderTypes, olderTypesWorker } from '../../../domain/registry/artifacts/older-types.ts'
import { referenceCollection } from '../../../domain/registry/artifacts/references-store.ts'
import type { AccessRuleInput } from '../../../output/registry/types.ts'
import { areas } from '../../../server/areas.ts'
import { storeCollections, type StorePlace } from '../../../server/platform-store.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { addTenant } from '../../areas/members.ts'
import { olderPlace } from '../../areas/older-place.ts'
import { whileOpen } from '../../areas/while-open.ts'
import { forgetTable, openBeside, runSql, testStorePlace } from '../../server/store/left-place.ts'
import { ociImage } from './oci-client.ts'
import { servedRegistry } from './served-registry.ts'

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

it('starts give the artifacts of older commits the types of their configs, and go on where a start was stopped', async () => {
  const served = await servedRegistry(onTestFinished)
  const { oci, place, repository, workspace } = served
  const ids = [await repository('one'), await repository('two')]
  const expected: string[] = []
  for (const own of ['one', 'two']) {
    const name = `acme/web/${own}`
    const subject = { mediaType: ociImage, digest: await oci.pushImage(name, 'v1', 'an image'), size: 1 }
    expected.push('application/vnd.oci.image.config.v1+json')
    for (let i = 0; i < 25; i += 1) {
      const mediaType = `application/vnd.test.type-${i}`
      const config = await oci.pushBlob(name, '{}', mediaType)
      const answer = await oci.pushManifest(name, `s${i}`, { schemaVersion: 2, config, layers: [], subject })
      expect(answer.status).toBe(201)
      expected.push(mediaType)
    }
  }
  await served.close()
  await forgetTypes(place)
  expect(await doctorFindings(place)).toEqual([])
  await whileOpen(place, async ({ registry }) => {
    const types = async () => {
      const found: string[] = []
      for (const id of ids)
        for await (const { artifact_type } of registry.iterateArtifacts({ workspace, repository: id }))
          found.push(artifact_type)
      return found.toSorted()
    }
    await expect.poll(types).toEqual(expected.toSorted())
    const [one = ''] = ids
    const { referrers } = await registry.getArtifact({ workspace, repository: one, reference: 'v1' })
    expect(referrers.map(({ artifact_type }) => artifact_type)).not.toContain('')
    await expect.poll(() => areTyped(place)).toBe(true)
  })
  expect(await doctorFindings(place)).toEqual([])
})

/** Makes a store as if its artifacts were pushed by an older commit, of which a start was stopped after a batch. */
async function forgetTypes(place: StorePlace): Promise<void> {
  const store = await openBeside(place, storeCollections(areas))
  const artifact_type = ''
  await store.tx(async tx => {
    for await (const { id, value, version } of tx.each(artifactCollection))
      await tx.update(artifactCollection, id, { ...value, artifact_type }, version)
    for await (const { id, value, version } of tx.each(referenceCollection, { kind: 'SUBJECT' }))
      await tx.update(referenceCollection, id, { ...value, artifact_type }, version)
    const noted = await tx.get(olderTypes, 'types')
    if (noted) await tx.delete(olderTypes, 'types', noted.version)
  })
  const stop = new AbortController()
  await olderTypesWorker().run({
    signal: stop.signal,
    async tx(fn) {
      stop.abort()
      return store.tx(fn)
    },
  })
  const left = await store.count(artifactCollection, { artifact_type })
  expect(left).toBeGreaterThan(0)
  expect(left).toBeLessThan(await store.count(artifactCollection))
  await store.close()
}

/** Whether a store records that all artifacts have their types. */
async function areTyped(place: StorePlace): Promise<boolean> {
  const store = await openBeside(place, storeCollections(areas))
  const noted = await store.get(olderTypes, 'types')
  await store.close()
  return noted?.value.is_done === true
}
