import { expect, it, onTestFinished } from 'vitest'
import { Ninefold } from '../../../../output/client.ts'
import { createTransport } from '../../../../runtime/transport.ts'
import type { AreaModule } from '../../../../server/area.ts'
import type { PlatformServices } from '../../../../server/area-parts.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { addTenant } from '../../../areas/members.ts'
import { seeded } from '../../../areas/random.ts'
import { mutationCount } from '../../../areas/random-mutations.ts'
import { signIn } from '../../../server/access/sign-in.ts'
import { OciClient, digestOf } from '../oci-client.ts'
import { servedRegistry, type ServedRegistry } from '../served-registry.ts'
import { runsOf } from '../retention/held-retention.ts'
import { FakeScanner } from '../scans/fake-scanner.ts'
import { blobTexts, vulnerable } from './content-mutations.ts'
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
    const artifacts: (readonly unknown[])[] = []
    for await (const each of api.registry.iterateArtifacts({ workspace, repository: id })) {
      const { digest, locked, scan_overview, tags } = each
      const { blocked } = await api.registry.getScanReport({ workspace, repository: id, reference: digest })
      const { critical, state } = scan_overview
      artifacts.push([digest, tags.map(tag => tag.name).toSorted(), locked, state, critical, blocked])
    }
    const named = { model, name: made.names.get(id) ?? '' }
    const expected = [...model.artifacts.keys()].map(digest => [
      digest,
      model.tagsOf(digest).toSorted(),
      model.isLocked(digest),
      `REGISTRY_SCAN_STATE_${model.scans.get(digest)?.state ?? 'NOT_SCANNED'}`,
      model.scans.get(digest)?.critical ?? 0,
      made.scans.isBlocked(named, digest),
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
    const scanner = new FakeScanner()
    scanner.load([{ id: 'DSA-1', package: vulnerable, severity: 'REGISTRY_SEVERITY_CRITICAL' }])
    let parts: PlatformServices | undefined
    const mounted = scanner.areas().map((area): AreaModule => {
      if (area.domain.name !== 'registry') return area
      return { ...area, mount: given => area.mount((parts = given)) }
    })
    const served = await servedRegistry(onTestFinished, 0, { mounted })
    if (!parts) throw new Error('the registry is not mounted')
    const { workspace } = await addTenant(served.api, 'random')
    const friend = (await addTenant(served.api, 'friend')).workspace
    const limits = { 'registry.repositories': mostRepositories, 'registry.scansPerDay': -1 }
    for (const [quota_definition_id, limit] of Object.entries(limits))
      await served.api.registry.createQuotaLimit({ workspace, body: { quota_definition_id, limit } })
    let by = await clients(served)
    const runs = runsOf({ ...served, workspace }, parts)
    const made = new RegistryMutations(by, { workspace, friend, path: 'random/web' }, seeded(seed), runs)
    await made.scans.begin()
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
