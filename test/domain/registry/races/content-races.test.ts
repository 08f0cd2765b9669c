import { join } from 'node:path'
import { collectBlobs } from '../../../../domain/registry/work/collect-garbage.ts'
import { taxonomyFunctions } from '../../../../domain/taxonomy/functions.ts'
import { areas } from '../../../../server/areas.ts'
import { storeCollections } from '../../../../server/platform-store.ts'
import { BlobFolder } from '../../../../server/registry/blob-folder.ts'
import { openBeside } from '../../../server/store/left-place.ts'
import { digestOf, ociImage, ociIndex, type OciAnswer } from '../oci-client.ts'
import {
  accepted,
  describeRaces,
  RacedRepository,
  racedRegistry,
  type RegistryRace,
  type RegistryRound,
} from './registry-rounds.ts'

const registry = racedRegistry()

const made = (): Promise<RacedRepository> => RacedRepository.made(registry())

/** Returns the two orders of a pair of outcomes. */
const eitherWay = (one: string, other: string): readonly string[] => [`${one}, ${other}`, `${other}, ${one}`]

const post = (name: string, query: string, body?: string) =>
  accepted(
    registry().oci.send(`/v2/${name}/blobs/uploads/${query}`, { method: 'POST', ...(body !== undefined && { body }) }),
  )

const whole = (name: string, text: string) => post(name, `?digest=${digestOf(text)}`, text)

/** Collects the garbage without a grace, as another process over the store. */
async function collect(): Promise<void> {
  const { place } = registry()
  const store = await openBeside(place, storeCollections(areas))
  const parts = {
    blobs: new BlobFolder({ folder: join(place.dataDir, 'registry'), report: () => {} }),
    clock: { now: () => Date.now() + 1, newId: () => '' },
    collectionGraceMs: 0,
    store,
    taxonomy: taxonomyFunctions,
  }
  await collectBlobs(parts, { signal: new AbortController().signal, tx: fn => store.tx(fn) })
  await store.close()
}

/** Begins an upload of a repository, with bytes if there are some, and returns its location. */
async function uploadOf({ name }: RacedRepository, text: string): Promise<string> {
  const begun = await post(name, '')
  const location = begun.headers.get('location') ?? ''
  if (text !== '') await accepted(registry().oci.send(location, { method: 'PATCH', body: text }))
  return location
}

/** Returns the calls that end one upload of a text at the same time: its last call, and another one. */
async function endingTwice(other: (location: string, digest: string) => Promise<OciAnswer>): Promise<RegistryRound> {
  const round = await made()
  const text = `raced ${round.name}`
  const location = await uploadOf(round, text)
  const { oci } = registry()
  let isStored = false
  return {
    calls: [
      async () => {
        await accepted(oci.send(`${location}?digest=${digestOf(text)}`, { method: 'PUT' }))
        isStored = true
      },
      () => accepted(other(location, digestOf(text))),
    ],
    check: async () => (isStored ? round.hasBlob(text) : undefined),
  }
}

/** Returns two calls that end an upload with the same last bytes at the same time, after bytes of an earlier call. */
async function endingWithBytes(earlier: string): Promise<RegistryRound> {
  const round = await made()
  const last = `last bytes of ${round.name}`
  const location = await uploadOf(round, earlier)
  const text = `${earlier}${last}`
  const end = () => accepted(registry().oci.send(`${location}?digest=${digestOf(text)}`, { method: 'PUT', body: last }))
  return { calls: [end, end], check: () => round.hasBlob(text) }
}

/** The outcomes of two calls of which exactly one ends or continues an upload. */
const onlyOne = [...eitherWay('OK', 'BLOB_UPLOAD_UNKNOWN'), ...eitherWay('OK', 'BLOB_UPLOAD_INVALID')]

const races: readonly RegistryRace[] = [
  {
    name: 'the move of a tag, the deletion of its digest and a deployment lock of the tag',
    async prepare() {
      const round = await made()
      const digest = await round.push()
      const moved = await registry().oci.image(round.name, 'two')
      return {
        calls: [() => round.pushManifest('v1', moved), () => round.remove(`manifests/${digest}`), () => round.lock()],
      }
    },
    documented: ['OK, OK, OK', 'OK, OK, ARTIFACT_NOT_FOUND', 'OK, ARTIFACT_LOCKED, OK'],
  },
  {
    name: 'two uploads of one blob',
    async prepare() {
      const round = await made()
      const text = `twice ${round.name}`
      return { calls: [() => whole(round.name, text), () => whole(round.name, text)], check: () => round.hasBlob(text) }
    },
    documented: ['OK, OK'],
  },
  {
    name: 'uploads of one blob to two repositories',
    async prepare() {
      const [one, other] = [await made(), await made()]
      const text = `shared ${one.name}`
      return {
        calls: [() => whole(one.name, text), () => whole(other.name, text)],
        async check() {
          await one.hasBlob(text)
          await other.hasBlob(text)
        },
      }
    },
    documented: ['OK, OK'],
  },
  {
    name: 'a mount and the deletion of its source',
    async prepare() {
      const [source, target] = [await made(), await made()]
      const text = `mounted ${source.name}`
      await whole(source.name, text)
      const token = await registry().oci.token(`repository:${target.name}:pull,push`, `repository:${source.name}:pull`)
      const path = `/v2/${target.name}/blobs/uploads/?mount=${digestOf(text)}&from=${source.name}`
      let isMounted = false
      return {
        calls: [
          async () => {
            const { status } = await accepted(registry().oci.send(path, { method: 'POST', token }))
            isMounted = status === 201
          },
          () => source.remove(`blobs/${digestOf(text)}`),
        ],
        check: async () => (isMounted ? target.hasBlob(text) : undefined),
      }
    },
    documented: ['OK, OK'],
  },
  {
    name: 'the collection of a blob and its push to another repository',
    async prepare() {
      const [source, target] = [await made(), await made()]
      const text = `collected ${source.name}`
      const digest = await source.push(text)
      await source.remove(`manifests/${digest}`)
      return {
        calls: [collect, () => target.push(text)],
        check: () => target.hasBlob(text),
      }
    },
    documented: ['OK, OK'],
  },
  {
    name: 'the deletion of a repository and a push',
    async prepare() {
      const round = await made()
      const image = await registry().oci.image(round.name, 'one')
      return { calls: [() => round.delete(), () => round.pushManifest('v1', image)] }
    },
    documented: ['OK, NAME_UNKNOWN', 'REPOSITORY_NOT_EMPTY, OK'],
  },
  {
    name: 'the forced deletion of a repository and a push',
    async prepare() {
      const round = await made()
      const image = await registry().oci.image(round.name, 'one')
      return { calls: [() => round.delete(true), () => round.pushManifest('v1', image)] }
    },
    documented: ['OK, NAME_UNKNOWN', 'OK, OK'],
  },
  {
    name: 'the push of an index and the deletion of its manifest',
    async prepare() {
      const round = await made()
      const digest = await round.push()
      const manifests = [{ mediaType: ociImage, digest, size: 1 }]
      const index = { schemaVersion: 2, mediaType: ociIndex, manifests }
      return {
        calls: [() => round.pushManifest('all', index, ociIndex), () => round.remove(`manifests/${digest}`)],
      }
    },
    documented: ['OK, ARTIFACT_REFERENCED', 'MANIFEST_BLOB_UNKNOWN, OK'],
  },
  {
    name: 'two deletions of a manifest',
    async prepare() {
      const round = await made()
      const path = `manifests/${await round.push()}`
      return { calls: [() => round.remove(path), () => round.remove(path)] }
    },
    documented: eitherWay('OK', 'MANIFEST_UNKNOWN'),
  },
  {
    name: 'a push and the deletion of a blob that it names',
    async prepare() {
      const round = await made()
      const text = `named ${round.name}`
      const image = await registry().oci.image(round.name, text)
      return { calls: [() => round.pushManifest('v1', image), () => round.remove(`blobs/${digestOf(text)}`)] }
    },
    documented: ['OK, ARTIFACT_REFERENCED', 'MANIFEST_BLOB_UNKNOWN, OK'],
  },
  {
    name: 'the end and the cancellation of an upload',
    prepare: () => endingTwice(location => registry().oci.send(location, { method: 'DELETE' })),
    documented: [...eitherWay('OK', 'BLOB_UPLOAD_UNKNOWN'), 'OK, OK'],
  },
  {
    name: 'two ends of an upload',
    prepare: () =>
      endingTwice((location, digest) => registry().oci.send(`${location}?digest=${digest}`, { method: 'PUT' })),
    documented: eitherWay('OK', 'BLOB_UPLOAD_UNKNOWN'),
  },
  {
    name: 'two ends of an upload with its last bytes',
    prepare: () => endingWithBytes('earlier bytes, '),
    documented: onlyOne,
  },
  {
    name: 'two ends of an upload with all of its bytes',
    prepare: () => endingWithBytes(''),
    documented: onlyOne,
  },
  {
    name: 'two calls with the next bytes of an upload',
    async prepare() {
      const round = await made()
      const [earlier, next] = ['earlier bytes, ', 'next bytes']
      const location = await uploadOf(round, earlier)
      const { oci } = registry()
      const more = () => accepted(oci.send(location, { method: 'PATCH', body: next }))
      return {
        calls: [more, more],
        async check() {
          const { headers } = await accepted(oci.send(location))
          const size = 1 + Number(headers.get('range')?.split('-')[1])
          const text = `${earlier}${next.repeat((size - earlier.length) / next.length)}`
          await accepted(oci.send(`${location}?digest=${digestOf(text)}`, { method: 'PUT' }))
          await round.hasBlob(text)
        },
      }
    },
    // A call that begins after the end of the other call appends its bytes too.
    documented: [...eitherWay('OK', 'BLOB_UPLOAD_INVALID'), 'OK, OK'],
  },
  {
    name: 'the end of an upload and further bytes',
    prepare: () => endingTwice(location => registry().oci.send(location, { method: 'PATCH', body: 'more bytes' })),
    documented: [
      'OK, BLOB_UPLOAD_UNKNOWN',
      'DIGEST_INVALID, OK',
      'DIGEST_INVALID, BLOB_UPLOAD_UNKNOWN',
      'BLOB_UPLOAD_UNKNOWN, OK',
    ],
  },
]

describeRaces(registry, races)
