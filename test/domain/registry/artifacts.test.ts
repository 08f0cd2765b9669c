import { describe, expect, it } from 'vitest'
import { systemPrincipalId } from '../../../domain/ports/reserved.ts'
import { outcomeOf } from '../outcomes.ts'
import { digestOf, faultOf, ociImage, ociIndex } from './oci-client.ts'
import { sharedRegistry } from './plane/shared-registry.ts'

const registry = sharedRegistry()
let repositories = 0

/** Creates a repository, and returns its name under `/v2/` and its place in paths of the API. */
async function newRepository(more: object = {}) {
  const { repository, workspace } = registry()
  repositories += 1
  const id = await repository(`artifacts-${repositories}`, more)
  return { name: `acme/web/artifacts-${repositories}`, at: { workspace, repository: id } }
}

describe('an artifact', () => {
  it('has what its manifest, its config and its tags say', async () => {
    const { api, oci } = registry()
    const { at, name } = await newRepository()
    const digest = await oci.pushImage(name, 'v1', 'a layer', { annotations: { title: 'one' } })
    await oci.pushManifest(name, 'v2', { ...(await oci.image(name, 'a layer', { annotations: { title: 'one' } })) })
    const artifact = await api.registry.getArtifact({ ...at, reference: 'v2' })
    const manifest = (await oci.send(`/v2/${name}/manifests/v1`)).bytes.length
    expect(artifact).toMatchObject({
      id: digest,
      digest,
      repository_id: at.repository,
      media_type: ociImage,
      artifact_type: 'application/vnd.oci.image.config.v1+json',
      kind: 'REGISTRY_ARTIFACT_KIND_IMAGE',
      manifest_size_bytes: manifest,
      tag_count: 2,
      tags: [
        { name: 'v2', immutable: false },
        { name: 'v1', immutable: false },
      ],
      platform: { os: 'linux', architecture: 'amd64', variant: '', os_version: '' },
      layers: [{ digest: digestOf('a layer'), size_bytes: 7 }],
      image_created_time: '2026-01-02T03:04:05.000Z',
      annotations: { title: 'one' },
      subject: '',
      locked: false,
      lock_ids: [],
      scan_overview: { state: 'REGISTRY_SCAN_STATE_NOT_SCANNED', critical: 0 },
    })
    expect(artifact.pushed_by_principal_id).not.toBe(systemPrincipalId)
    const { artifacts } = await api.registry.listArtifacts(at)
    expect(artifacts).toHaveLength(1)
    expect(artifacts[0]).toMatchObject({ layers: [], annotations: {}, digest, tag_count: 2 })
    const repository = await api.registry.getRepository({ ...at, engine: 'native', id: at.repository })
    expect(repository).toMatchObject({ artifact_count: 1, tag_count: 2, size_bytes: artifact.size_bytes })
  })

  it('without an artifact type has the type of its config, in lists of referrers too', async () => {
    const { api, oci } = registry()
    const { at, name } = await newRepository()
    const mediaType = 'application/vnd.cncf.helm.config.v1+json'
    const subject = { mediaType: ociImage, digest: await oci.pushImage(name, 'v1', 'subject'), size: 1 }
    const config = { ...(await oci.pushBlob(name, '{"name": "web"}')), mediaType }
    const digest = await oci.pushImage(name, 'chart', 'chart', { config, subject })
    const { artifact_type, kind } = await api.registry.getArtifact({ ...at, reference: 'chart' })
    expect({ artifact_type, kind }).toEqual({ artifact_type: mediaType, kind: 'REGISTRY_ARTIFACT_KIND_ARTIFACT' })
    const { referrers } = await api.registry.getArtifact({ ...at, reference: 'v1' })
    expect(referrers).toEqual([{ digest, artifact_type }])
    const { artifacts } = await api.registry.listArtifacts({ ...at, filter: `artifact_type = "${mediaType}"` })
    expect(artifacts.map(found => found.digest)).toEqual([digest])
    const { json } = await oci.send(`/v2/${name}/referrers/${subject.digest}`)
    expect(json).toMatchObject({ manifests: [{ digest, artifactType: artifact_type }] })
  })

  it('of an index knows its children, and these their parents', async () => {
    const { api, oci } = registry()
    const { at, name } = await newRepository()
    const child = await oci.pushImage(name, 'child', 'child')
    const size = (await oci.send(`/v2/${name}/manifests/child`)).bytes.length
    const platform = { os: 'linux', architecture: 'arm64', variant: 'v8' }
    const manifests = [{ mediaType: ociImage, digest: child, size, platform }]
    const put = await oci.pushManifest(name, 'all', { schemaVersion: 2, manifests }, ociIndex)
    const index = put.headers.get('docker-content-digest') ?? ''
    expect(await api.registry.getArtifact({ ...at, reference: 'all' })).toMatchObject({
      kind: 'REGISTRY_ARTIFACT_KIND_INDEX',
      config_digest: '',
      children: [{ digest: child, media_type: ociImage, platform: { ...platform, os_version: '' }, present: true }],
    })
    expect((await api.registry.getArtifact({ ...at, reference: child })).parents).toEqual([index])
    expect(await outcomeOf(api.registry.deleteArtifact({ ...at, reference: child }))).toBe('ARTIFACT_REFERENCED')
    await api.registry.deleteArtifact({ ...at, reference: index })
    expect((await api.registry.getArtifact({ ...at, reference: child })).parents).toEqual([])
  })

  it('is found by the fields of the filter', async () => {
    const { api, oci } = registry()
    const { at, name } = await newRepository()
    const one = await oci.pushImage(name, 'v1', 'one')
    const two = await oci.pushImage(name, 'v2', 'two')
    await oci.pushManifest(name, 'all', { schemaVersion: 2, manifests: [] }, ociIndex)
    await oci.send(`/v2/${name}/manifests/v2`, { method: 'DELETE' })
    const found = async (filter: string) =>
      (await api.registry.listArtifacts({ ...at, filter, order_by: 'push_time' })).artifacts.map(({ digest }) => digest)
    expect(await found('tags:"v1"')).toEqual([one])
    expect(await found('NOT tags:*')).toEqual([two])
    expect(await found(`digest = "${two}"`)).toEqual([two])
    expect(await found('kind = REGISTRY_ARTIFACT_KIND_IMAGE')).toEqual([one, two])
    expect(await found('locked = true')).toEqual([])
    await api.registry.createDeploymentLock({ ...at, body: { reference: 'v1', reason: 'in use' } })
    expect(await found('locked = true')).toEqual([one])
    expect(await found('locked != true AND kind = REGISTRY_ARTIFACT_KIND_IMAGE')).toEqual([two])
  })

  it('is found by all of its tags, although its row has only the newest', async () => {
    const { api, oci } = registry()
    const { at, name } = await newRepository()
    const manifest = await oci.image(name, 'many')
    const digest = digestOf(JSON.stringify(manifest))
    for (let from = 0; from < 150; from += 30) {
      const tags = Array.from({ length: 30 }, (_, i) => ['tag', `v${from + i}`])
      const put = await oci.pushManifest(name, `${digest}?${new URLSearchParams(tags)}`, manifest)
      expect(put.status).toBe(201)
    }
    const few = await oci.pushImage(name, 'v-few', 'few')
    const none = await oci.pushImage(name, 'gone', 'none')
    await oci.send(`/v2/${name}/manifests/gone`, { method: 'DELETE' })
    const found = async (filter: string) =>
      (await api.registry.listArtifacts({ ...at, filter, order_by: 'push_time' })).artifacts.map(each => each.digest)
    expect((await api.registry.getArtifact({ ...at, reference: digest })).tags.map(tag => tag.name)).not.toContain('v0')
    expect(await found('tags:"v0"')).toEqual([digest])
    expect(await found('tags:"v149"')).toEqual([digest])
    expect(await found('tags:"v150"')).toEqual([])
    expect(await found('tags:"v*"')).toEqual([digest, few])
    expect(await found('tags:"*0" AND tags:"v1*"')).toEqual([digest])
    expect(await found('tags:"v0*"')).toEqual([digest])
    expect(await found('NOT tags:"v0"')).toEqual([few, none])
    expect(await found('NOT tags:"v0*"')).toEqual([few, none])
    expect(await found('tags:*')).toEqual([digest, few])
    expect(await found('tags:"v0" OR tags:"v-few"')).toEqual([digest, few])
    const pages: string[] = []
    for (let page_token = ''; ;) {
      const page = await api.registry.listArtifacts({ ...at, filter: 'tags:"v*"', page_size: 1, page_token })
      pages.push(...page.artifacts.map(each => each.digest))
      page_token = page.next_page_token
      if (page_token === '') break
    }
    expect(pages).toEqual([few, digest])
  })

  it('has its newest tags in its row when one of them goes, and when another one goes', async () => {
    const { api, oci } = registry()
    const { at, name } = await newRepository()
    const manifest = await oci.image(name, 'shown')
    const digest = digestOf(JSON.stringify(manifest))
    // The tags of one push have one time, so the newest 100 are those of five pushes.
    for (let from = 0; from < 120; from += 20) {
      const tags = Array.from({ length: 20 }, (_, i) => ['tag', `v${from + i}`])
      await oci.pushManifest(name, `${digest}?${new URLSearchParams(tags)}`, manifest)
    }
    const read = async () => {
      const { tag_count, tags } = await api.registry.getArtifact({ ...at, reference: digest })
      return { tag_count, names: new Set(tags.map(tag => tag.name)) }
    }
    const { names: first } = await read()
    const hidden = Array.from({ length: 120 }, (_, i) => `v${i}`).filter(tag => !first.has(tag))
    expect(hidden).toHaveLength(20)
    await oci.send(`/v2/${name}/manifests/${hidden[0]}`, { method: 'DELETE' })
    expect(await read()).toEqual({ tag_count: 119, names: first })
    await oci.send(`/v2/${name}/manifests/v119`, { method: 'DELETE' })
    const { names, tag_count } = await read()
    expect(tag_count).toBe(118)
    expect([names.size, names.has('v119')]).toEqual([100, false])
    expect([...first].filter(tag => !names.has(tag))).toEqual(['v119'])
  })

  it('is deleted by a tag only if it is its only one, unless the call is forced', async () => {
    const { api, oci } = registry()
    const { at, name } = await newRepository()
    for (const tag of ['v1', 'v2']) await oci.pushImage(name, tag, 'tagged')
    expect(await outcomeOf(api.registry.deleteArtifact({ ...at, reference: 'v1' }))).toBe('ARTIFACT_HAS_OTHER_TAGS')
    const operation = await api.registry.deleteArtifact({ ...at, reference: 'v1', force: true })
    expect(operation.resource_id.startsWith(`${at.repository}/sha256:`)).toBe(true)
    expect(faultOf(await oci.send(`/v2/${name}/manifests/v2`))).toBe('404 MANIFEST_UNKNOWN')
    expect(await outcomeOf(api.registry.deleteArtifact({ ...at, reference: 'v1' }))).toBe('ARTIFACT_NOT_FOUND')
    expect(await outcomeOf(api.registry.getArtifact({ ...at, reference: 'sha256:x' }))).toBe('REFERENCE_INVALID')
    const repository = await api.registry.getRepository({ ...at, engine: 'native', id: at.repository })
    expect(repository).toMatchObject({ artifact_count: 0, tag_count: 0, size_bytes: 0 })
  })

  it('loses a tag only if the path names the artifact at which the tag points', async () => {
    const { api, oci } = registry()
    const { at, name } = await newRepository()
    const one = await oci.pushImage(name, 'v1', 'one')
    const two = await oci.pushImage(name, 'v2', 'two')
    const untag = (reference: string, tag: string) => outcomeOf(api.registry.deleteTag({ ...at, reference, tag }))
    expect(await untag(two, 'v1')).toBe('TAG_NOT_FOUND')
    expect(await untag('v9', 'v1')).toBe('TAG_NOT_FOUND')
    expect(await untag(one, 'v1')).toBe('OK')
    expect(await untag('v2', 'v2')).toBe('OK')
    expect((await api.registry.getArtifact({ ...at, reference: one })).tags).toEqual([])
  })

  it('that is locked stays, with its tags if the lock says so', async () => {
    const { api, oci } = registry()
    const { at, name } = await newRepository()
    const digest = await oci.pushImage(name, 'v1', 'locked')
    const body = { reference: 'v1', reason: 'in production', protect_tags: true }
    const { resource_id: id } = await api.registry.createDeploymentLock({ ...at, body })
    expect(await outcomeOf(api.registry.deleteArtifact({ ...at, reference: 'v1' }))).toBe('ARTIFACT_LOCKED')
    expect(faultOf(await oci.send(`/v2/${name}/manifests/${digest}`, { method: 'DELETE' }))).toBe(
      '409 DENIED ARTIFACT_LOCKED',
    )
    expect(faultOf(await oci.send(`/v2/${name}/manifests/v1`, { method: 'DELETE' }))).toBe('409 DENIED ARTIFACT_LOCKED')
    expect(faultOf(await oci.pushManifest(name, 'v1', await oci.image(name, 'other')))).toBe(
      '409 DENIED ARTIFACT_LOCKED',
    )
    expect(await api.registry.getArtifact({ ...at, reference: 'v1' })).toMatchObject({ locked: true, lock_ids: [id] })
    await api.registry.deleteDeploymentLock({ ...at, id })
    expect(await outcomeOf(api.registry.deleteArtifact({ ...at, reference: 'v1' }))).toBe('OK')
    expect(faultOf(await oci.send(`/v2/${name}/manifests/v1`))).toBe('404 MANIFEST_UNKNOWN')
  })

  it('counts its pulls, but no HEAD, and each is an audit event', async () => {
    const { api, oci, workspace } = registry()
    const { at, name } = await newRepository()
    const digest = await oci.pushImage(name, 'v1', 'pulled')
    for (const reference of ['v1', 'v1', digest]) await oci.send(`/v2/${name}/manifests/${reference}`)
    await oci.send(`/v2/${name}/manifests/v1`, { method: 'HEAD' })
    await expect.poll(async () => (await api.registry.getArtifact({ ...at, reference: 'v1' })).pull_count).toBe(3)
    const filter = `repository_id = "${at.repository}"`
    const { audit_events } = await api.registry.listAuditEvents({ workspace, filter, order_by: 'time' })
    expect(audit_events.map(({ action, tag }) => `${action.slice('REGISTRY_AUDIT_ACTION_'.length)} ${tag}`)).toEqual([
      'PUSH v1',
      'PULL v1',
      'PULL v1',
      'PULL ',
    ])
  })
})
