import { describe, expect, it } from 'vitest'
import { digestOf, faultOf, ociImage, ociIndex, type OciAnswer } from '../oci-client.ts'
import { sharedRegistry } from './shared-registry.ts'

const registry = sharedRegistry()
let repositories = 0

/** Creates a repository, and returns its name. */
async function newRepository(more: object = {}): Promise<string> {
  repositories += 1
  await registry().repository(`manifests-${repositories}`, more)
  return `acme/web/manifests-${repositories}`
}

const read = (name: string, rest: string, method = 'GET'): Promise<OciAnswer> =>
  registry().oci.send(`/v2/${name}/${rest}`, { method })

const tagsOf = async (name: string, query = ''): Promise<unknown> =>
  Reflect.get(Object((await read(name, `tags/list${query}`)).json), 'tags')

describe('a manifest', () => {
  it('is answered byte for byte with its type, by tag and by digest', async () => {
    const { oci } = registry()
    const name = await newRepository()
    const text = JSON.stringify(await oci.image(name, 'spaces'), undefined, 3).replace(
      '{',
      '{ "org.example": "\\u00e9",',
    )
    const put = await oci.send(`/v2/${name}/manifests/v1`, {
      method: 'PUT',
      headers: { 'content-type': `${ociImage}; charset=utf-8` },
      body: text,
    })
    expect([put.status, put.headers.get('docker-content-digest')]).toEqual([201, digestOf(text)])
    for (const reference of ['v1', digestOf(text)]) {
      const answer = await read(name, `manifests/${reference}`)
      expect(new TextDecoder().decode(answer.bytes)).toBe(text)
      expect(answer.headers.get('content-type')).toBe(ociImage)
    }
    const head = await read(name, 'manifests/v1', 'HEAD')
    expect([head.headers.get('content-length'), head.bytes.length]).toEqual([String(Buffer.byteLength(text)), 0])
  })

  it('is put by a digest of sha512, with tags beside', async () => {
    const { oci } = registry()
    const name = await newRepository()
    const text = JSON.stringify(await oci.image(name, 'sha512'))
    const digest = digestOf(text, 'sha512')
    const put = await oci.send(`/v2/${name}/manifests/${digest}?tag=a&tag=b`, {
      method: 'PUT',
      headers: { 'content-type': ociImage },
      body: text,
    })
    expect([put.status, put.headers.get('oci-tag'), put.headers.get('location')]).toEqual([
      201,
      'a, b',
      `/v2/${name}/manifests/${digest}`,
    ])
    expect(await tagsOf(name)).toEqual(['a', 'b'])
    expect((await read(name, 'manifests/b')).headers.get('docker-content-digest')).toBe(digest)
  })

  it.each([
    ['is no JSON', '{', ociImage],
    ['is no object', '[]', ociImage],
    ['is of schema 1', '{"schemaVersion": 1, "fsLayers": []}', 'application/vnd.docker.distribution.manifest.v1+json'],
    ['has another version', '{"schemaVersion": 3, "layers": []}', ociImage],
    [
      'has another type than the request',
      `{"schemaVersion": 2, "mediaType": "${ociIndex}", "manifests": []}`,
      ociImage,
    ],
    ['has no config', '{"schemaVersion": 2, "layers": []}', ociImage],
    ['has the members of both kinds', '{"schemaVersion": 2, "manifests": [], "layers": []}', ociIndex],
    [
      'has a digest of another form',
      '{"schemaVersion": 2, "manifests": [{"mediaType": "a/b", "digest": "x", "size": 1}]}',
      ociIndex,
    ],
    [
      'has a size below 0',
      `{"schemaVersion": 2, "manifests": [{"mediaType": "a/b", "digest": "${digestOf('')}", "size": -1}]}`,
      ociIndex,
    ],
    [
      'is nested too deeply',
      `{"schemaVersion": 2, "manifests": [], "deep": ${'['.repeat(200)}${']'.repeat(200)}}`,
      ociIndex,
    ],
    ['has no known type', '{"schemaVersion": 2}', 'application/json'],
  ])('that %s is refused', async (_, body, type) => {
    const { oci } = registry()
    const name = await newRepository()
    const answer = await oci.send(`/v2/${name}/manifests/v1`, {
      method: 'PUT',
      headers: { 'content-type': type },
      body,
    })
    expect(faultOf(answer)).toBe('400 MANIFEST_INVALID')
  })

  it('is refused without what it names, with another size of it, with another digest, and beyond 4 MiB', async () => {
    const { oci } = registry()
    const name = await newRepository()
    const image: { config?: object } = await oci.image(name, 'complete')
    const absent = { mediaType: 'a/b', digest: digestOf('absent'), size: 6 }
    expect(faultOf(await oci.pushManifest(name, 'v1', { ...image, layers: [absent] }))).toBe(
      '404 MANIFEST_BLOB_UNKNOWN',
    )
    expect(faultOf(await oci.pushManifest(name, 'v1', { ...image, config: { ...image.config, size: 1 } }))).toBe(
      '400 MANIFEST_INVALID',
    )
    const index = { schemaVersion: 2, manifests: [{ ...absent, mediaType: ociImage }] }
    expect(faultOf(await oci.pushManifest(name, 'v1', index, ociIndex))).toBe('404 MANIFEST_BLOB_UNKNOWN')
    expect(faultOf(await oci.pushManifest(name, digestOf('other'), image))).toBe('400 DIGEST_INVALID')
    expect(faultOf(await oci.pushManifest(name, 'sha256:ab', image))).toBe('400 DIGEST_INVALID')
    const large = { ...image, annotations: { a: 'a'.repeat(4 * 2 ** 20) } }
    expect(faultOf(await oci.pushManifest(name, 'v1', large))).toBe('413 SIZE_INVALID FIELD_INVALID')
    expect(await tagsOf(name)).toEqual([])
  })

  it('has at most 10,000 layers or children', async () => {
    const { oci } = registry()
    const name = await newRepository()
    const image = await oci.image(name, 'wide')
    const descriptor = { mediaType: ociImage, digest: digestOf('absent'), size: 6 }
    const outcomes = [10_000, 10_001].map(async count => {
      const wide = Array.from({ length: count }, () => descriptor)
      const index = await oci.pushManifest(name, 'v1', { schemaVersion: 2, manifests: wide }, ociIndex)
      return [faultOf(index), faultOf(await oci.pushManifest(name, 'v1', { ...image, layers: wide }))]
    })
    expect(await Promise.all(outcomes)).toEqual([
      Array(2).fill('404 MANIFEST_BLOB_UNKNOWN'),
      Array(2).fill('400 MANIFEST_INVALID'),
    ])
  })

  it('may name layers that lie elsewhere, and a subject that is absent', async () => {
    const { oci } = registry()
    const name = await newRepository()
    const layers = [
      {
        mediaType: 'application/vnd.oci.image.layer.nondistributable.v1.tar+gzip',
        digest: digestOf('elsewhere'),
        size: 9,
        urls: ['https://example.test/layer'],
      },
    ]
    const subject = { mediaType: ociImage, digest: digestOf('an absent subject'), size: 17 }
    const put = await oci.pushManifest(name, 'v1', { ...(await oci.image(name, 'foreign')), layers, subject })
    expect([put.status, put.headers.get('oci-subject')]).toEqual([201, subject.digest])
  })

  it('is deleted by its digest with its tags, and by a tag only untagged', async () => {
    const { oci } = registry()
    const name = await newRepository()
    const digest = await oci.pushImage(name, 'v1', 'deleted')
    await oci.pushImage(name, 'v2', 'deleted')
    expect((await read(name, 'manifests/v1', 'DELETE')).status).toBe(202)
    expect(await tagsOf(name)).toEqual(['v2'])
    expect((await read(name, `manifests/${digest}`)).status).toBe(200)
    expect((await read(name, `manifests/${digest}`, 'DELETE')).status).toBe(202)
    expect(faultOf(await read(name, `manifests/${digest}`))).toBe('404 MANIFEST_UNKNOWN')
    expect(faultOf(await read(name, 'manifests/v2', 'DELETE'))).toBe('404 MANIFEST_UNKNOWN')
    expect(faultOf(await read(name, `blobs/${digestOf('deleted')}`))).toBe('404 BLOB_UNKNOWN')
  })

  it('that an index lists is deleted after the index', async () => {
    const { oci } = registry()
    const name = await newRepository()
    const child = await oci.pushImage(name, 'child', 'a child')
    const { headers } = await read(name, 'manifests/child', 'HEAD')
    const size = Number(headers.get('content-length'))
    const manifests = [{ mediaType: ociImage, digest: child, size }]
    const index = await oci.pushManifest(name, 'all', { schemaVersion: 2, manifests }, ociIndex)
    expect(faultOf(await read(name, `manifests/${child}`, 'DELETE'))).toBe('409 DENIED ARTIFACT_REFERENCED')
    const digest = index.headers.get('docker-content-digest') ?? ''
    expect((await read(name, `manifests/${digest}`, 'DELETE')).status).toBe(202)
    expect((await read(name, `manifests/${child}`, 'DELETE')).status).toBe(202)
  })
})

describe('the rules of a repository', () => {
  it('keep immutable tags in place, but not their exceptions, and let the same digest be pushed again', async () => {
    const { oci } = registry()
    const name = await newRepository({
      tag_mutability: 'REGISTRY_TAG_MUTABILITY_IMMUTABLE',
      immutable_tag_exceptions: ['latest', 'dev-*'],
    })
    await oci.pushImage(name, 'v1', 'first')
    expect(faultOf(await oci.pushManifest(name, 'v1', await oci.image(name, 'second')))).toBe(
      '409 DENIED TAG_IMMUTABLE',
    )
    for (const tag of ['latest', 'dev-1']) for (const text of ['first', 'second']) await oci.pushImage(name, tag, text)
    expect((await oci.pushManifest(name, 'v1', await oci.image(name, 'first'))).status).toBe(201)
    expect(faultOf(await read(name, 'manifests/v1', 'DELETE'))).toBe('409 DENIED TAG_IMMUTABLE')
  })

  it('refuse kinds and sizes', async () => {
    const { oci } = registry()
    const images = await newRepository({ allowed_kinds: ['REGISTRY_ARTIFACT_KIND_IMAGE'] })
    const index = { schemaVersion: 2, manifests: [] }
    expect(faultOf(await oci.pushManifest(images, 'v1', index, ociIndex))).toBe('403 DENIED ARTIFACT_KIND_NOT_ALLOWED')
    const small = await newRepository({ max_artifact_size_bytes: 100 })
    expect(faultOf(await oci.pushManifest(small, 'v1', await oci.image(small, 'large')))).toBe(
      '413 SIZE_INVALID ARTIFACT_TOO_LARGE',
    )
  })
})

describe('the tags of a repository', () => {
  it('are listed in pages in lexical order', async () => {
    const { oci } = registry()
    const name = await newRepository()
    expect(await tagsOf(name)).toEqual([])
    for (const tag of ['b', 'B', 'a', 'a.1', '1']) await oci.pushImage(name, tag, 'one image')
    expect(await tagsOf(name)).toEqual(['1', 'B', 'a', 'a.1', 'b'])
    const first = await read(name, 'tags/list?n=2')
    expect(first.headers.get('link')).toBe(`</v2/${name}/tags/list?n=2&last=B>; rel="next"`)
    expect(await tagsOf(name, '?n=2&last=B')).toEqual(['a', 'a.1'])
    expect(await tagsOf(name, '?n=0')).toEqual([])
    expect(await tagsOf(name, '?last=aa')).toEqual(['b'])
    expect((await read(name, 'tags/list?n=5')).headers.get('link')).toBeNull()
  })
})

describe('the referrers of a digest', () => {
  it('are an index, filtered by the type of the artifact', async () => {
    const { oci } = registry()
    const name = await newRepository()
    const digest = await oci.pushImage(name, 'v1', 'the subject')
    const size = Number((await read(name, 'manifests/v1', 'HEAD')).headers.get('content-length'))
    const subject = { mediaType: ociImage, digest, size }
    const empty = await oci.pushBlob(name, '{}', 'application/vnd.oci.empty.v1+json')
    const about = { schemaVersion: 2, mediaType: ociImage, config: empty, layers: [empty], subject }
    const signature = { ...about, artifactType: 'application/x-signature', annotations: { by: 'tests' } }
    const put = await oci.pushManifest(name, digestOf(JSON.stringify(signature)), signature)
    await oci.pushManifest(name, digestOf(JSON.stringify(about)), about)
    const all = await read(name, `referrers/${digest}`)
    expect(all.headers.get('content-type')).toBe(ociIndex)
    expect(Reflect.get(Object(all.json), 'manifests')).toHaveLength(2)
    const signatures = await read(name, `referrers/${digest}?artifactType=application/x-signature`)
    expect(signatures.headers.get('oci-filters-applied')).toBe('artifactType')
    expect(signatures.json).toEqual({
      schemaVersion: 2,
      mediaType: ociIndex,
      manifests: [
        {
          mediaType: ociImage,
          digest: put.headers.get('docker-content-digest'),
          size: JSON.stringify(signature).length,
          artifactType: 'application/x-signature',
          annotations: { by: 'tests' },
        },
      ],
    })
    expect(Reflect.get(Object((await read(name, `referrers/${digestOf('nothing')}`)).json), 'manifests')).toEqual([])
    expect(faultOf(await read(name, 'referrers/sha256:x'))).toBe('400 DIGEST_INVALID')
  })
})
