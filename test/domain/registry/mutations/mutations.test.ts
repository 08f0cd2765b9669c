import { expect, it, onTestFinished } from 'vitest'
import { Ninefold } from '../../../../output/client.ts'
import { createTransport } from '../../../../runtime/transport.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { addTenant } from '../../../areas/members.ts'
import { seeded } from '../../../areas/random.ts'
import { mutationCount } from '../../../areas/random-mutations.ts'
import { signIn } from '../../../server/access/sign-in.ts'
import { OciClient, digestOf } from '../oci-client.ts'
import { servedRegistry, type ServedRegistry } from '../served-registry.ts'
import { blobTexts } from './content-mutations.ts'
import { mostRepositories, RegistryMutations, type MutationClients } from './registry-mutations.ts'

const seed = 25

/** Signs the administrator in: long runs do it again, because a token expires after 15 minutes. */
async function clients({ url }: ServedRegistry): Promise<MutationClients> {
  const token = await signIn(url)
  return { api: new Ninefold(createTransport({ baseUrl: url, token, retries: 20 })), oci: new OciClient(url, token) }
}

/** Compares the repositories, their artifacts, tags, blobs and locks with the model. */
async function compare(workspace: string, { api, oci }: MutationClients, made: RegistryMutations): Promise<void> {
  const at = { workspace, engine: 'native' }
  const listed: string[] = []
  for await (const { id } of api.registry.iterateRepositories(at)) listed.push(id)
  expect(listed.toSorted()).toEqual([...made.model.repositories.keys()].toSorted())
  for (const [id, model] of made.model.repositories) {
    expect(await api.registry.getRepository({ ...at, id })).toMatchObject({
      artifact_count: model.artifacts.size,
      tag_count: model.tags.size,
      size_bytes: model.bytes,
      state: `REGISTRY_REPOSITORY_STATE_${made.model.isReadOnly ? 'READ_ONLY' : 'ACTIVE'}`,
    })
    const artifacts: [string, readonly string[], boolean][] = []
    for await (const { digest, locked, tags } of api.registry.iterateArtifacts({ workspace, repository: id }))
      artifacts.push([digest, tags.map(({ name }) => name).toSorted(), locked])
    const isLocked = (digest: string) => [...model.locks.values()].some(({ digests }) => digests.has(digest))
    const expected = [...model.artifacts.keys()].map(digest => [
      digest,
      model.tagsOf(digest).toSorted(),
      isLocked(digest),
    ])
    const byDigest = (one: readonly unknown[], other: readonly unknown[]) =>
      String(one[0]) < String(other[0]) ? -1 : 1
    expect(artifacts.toSorted(byDigest)).toEqual(expected.toSorted(byDigest))
    const name = made.names.get(id)
    const tags = await oci.send(`/v2/${name}/tags/list`)
    expect(tags.json).toEqual({ name, tags: [...model.tags.keys()].toSorted() })
    for (const text of blobTexts) {
      const { bytes, status } = await oci.send(`/v2/${name}/blobs/${digestOf(text)}`)
      expect([status, status === 200 ? new TextDecoder().decode(bytes) : text]).toEqual([
        model.blobs.has(digestOf(text)) ? 200 : 404,
        text,
      ])
    }
  }
}

it(
  'random mutations by both interfaces make what a naive model has, and the doctor finds nothing',
  { timeout: 240_000 + mutationCount * 400 },
  async () => {
    const served = await servedRegistry(onTestFinished)
    const { workspace } = await addTenant(served.api, 'random')
    const friend = (await addTenant(served.api, 'friend')).workspace
    const body = { quota_definition_id: 'registry.repositories', limit: mostRepositories }
    await served.api.registry.createQuotaLimit({ workspace, body })
    let by = await clients(served)
    const made = new RegistryMutations(by, { workspace, friend, path: 'random/web' }, seeded(seed))
    for (let step = 1; step <= mutationCount; step += 1) {
      await made.step().catch((error: unknown) => {
        throw new Error(`step ${step} of seed ${seed}`, { cause: error })
      })
      if (step % 50 === 0) await compare(workspace, by, made)
      if (step % 500 !== 0) continue
      expect(await doctorFindings(served.place)).toEqual([])
      by = await clients(served)
      made.renew(by)
    }
    await compare(workspace, by, made)
    expect(await doctorFindings(served.place)).toEqual([])
    if (mutationCount >= 1000)
      console.log([...made.model.outcomes].map(([outcome, count]) => `${count} x ${outcome}`).join('; '))
  },
)
