import { readdirSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { artifactCollection, manifestCollection, rowOf } from '../../../domain/registry/artifacts/artifacts-store.ts'
import { referenceCollection } from '../../../domain/registry/artifacts/references-store.ts'
import { tagCollection, tagId } from '../../../domain/registry/artifacts/tags-store.ts'
import { blobCollection, linkCollection } from '../../../domain/registry/blobs/blobs-store.ts'
import { openingCollection } from '../../../domain/registry/openings/openings-store.ts'
import type { Collection } from '../../../domain/ports/store.ts'
import { areas } from '../../../server/areas.ts'
import { storeCollections } from '../../../server/platform-store.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { openBeside } from '../../server/store/left-place.ts'
import { digestOf } from './oci-client.ts'
import { servedRegistry } from './served-registry.ts'

it('the doctor finds nothing after pushes and deletions, and every row and file that is altered', async () => {
  const { api, oci, place, repository, workspace } = await servedRegistry(onTestFinished, 86_400_000)
  const id = await repository('one')
  const name = 'acme/web/one'
  const digest = await oci.pushImage(name, 'v1', 'first')
  await oci.pushImage(name, 'v2', 'second')
  await oci.pushImage(name, 'v3', 'first')
  await oci.send(`/v2/${name}/manifests/v2`, { method: 'DELETE' })
  expect(await doctorFindings(place)).toEqual([])
  const store = await openBeside(place, storeCollections(areas))
  const row = rowOf(id, digest)
  /** Changes a row, returns what the doctor finds, and restores the row. */
  async function changed<T>(collection: Collection<T>, key: string, change: (value: T) => T): Promise<string> {
    const before = await store.get(collection, key)
    if (!before) throw new Error(`there is no row ${key}`)
    await store.tx(tx => tx.update(collection, key, change(before.value), before.version))
    const findings = await doctorFindings(place)
    await store.tx(tx => tx.update(collection, key, before.value, before.version + 1))
    return findings.join('\n')
  }
  const layer = digestOf('first')
  expect(await changed(artifactCollection, row, value => ({ ...value, tag_count: 7 }))).toContain('has tag_count 7')
  expect(await changed(artifactCollection, row, value => ({ ...value, tags: [] }))).toContain('shows 0 tags')
  expect(await changed(artifactCollection, row, value => ({ ...value, parents: [layer] }))).toContain('has 1 parents')
  expect(await changed(artifactCollection, row, value => ({ ...value, size_bytes: 1 }))).toContain('and 1 bytes')
  expect(await changed(manifestCollection, row, value => ({ ...value, text: `${value.text} ` }))).toContain(
    'has a manifest of another digest',
  )
  expect(await changed(tagCollection, tagId(id, 'v1'), value => ({ ...value, digest: layer }))).toContain(
    `points at ${layer}, which does not exist`,
  )
  expect(await changed(referenceCollection, `${row}/BLOB/${layer}`, value => ({ ...value, target: digest }))).toContain(
    `names BLOB ${layer}, which is not recorded`,
  )
  expect(await changed(blobCollection, layer, value => ({ ...value, state: 'UNLINKED' as const }))).toContain(
    'is UNLINKED, but a repository has it',
  )
  expect(await changed(linkCollection, rowOf(id, layer), value => ({ ...value, size: 1 }))).toContain(
    'is linked with 1 bytes',
  )
  const opened = await api.registry.createRepositoryAccessPolicy({
    workspace,
    engine: 'native',
    repository: id,
    body: {
      name: 'public',
      rules: [{ effect: 'REGISTRY_POLICY_EFFECT_ALLOW', principals: ['ALL_USERS'], actions: ['REGISTRY_ACTION_PULL'] }],
    },
  })
  const opening = `${opened.resource_id}/ALL_USERS`
  const moved = await changed(openingCollection, opening, value => ({ ...value, path: 'acme/web/two' }))
  expect(moved).toContain('lets ALL_USERS pull, which is not recorded')
  const widened = await changed(openingCollection, opening, value => ({ ...value, principal: 'ALL_AUTHENTICATED' }))
  expect(widened).toContain('does not let ALL_AUTHENTICATED pull, but is recorded so')
  expect(await doctorFindings(place)).toEqual([])
  if (place.storeUrl !== undefined) return
  const folder = join(place.dataDir, 'registry', 'blobs')
  const files = readdirSync(folder, { recursive: true }).map(String)
  const fileOf = (text: string) =>
    join(folder, files.find(path => path.includes(`/${digestOf(text).slice('sha256:'.length)}.`)) ?? '')
  truncateSync(fileOf('first'), 2)
  rmSync(fileOf('second'))
  const found = (await doctorFindings(place)).join('\n')
  expect(found).toMatch(/has 5 bytes in .*; the file has 2/)
  expect(found).toMatch(/lacks the file/)
})
