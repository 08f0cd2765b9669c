import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  collectBlobs,
  collectLeftovers,
  endIdleUploads,
  unlinkAbandoned,
  type CollectionParts,
} from '../../../domain/registry/work/collect-garbage.ts'
import { areas } from '../../../server/areas.ts'
import { storeCollections } from '../../../server/platform-store.ts'
import { BlobFolder } from '../../../server/registry/blob-folder.ts'
import { taxonomyFunctions } from '../../../domain/taxonomy/functions.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { openBeside } from '../../server/store/left-place.ts'
import { digestOf, faultOf } from './oci-client.ts'
import { servedRegistry, type ServedRegistry } from './served-registry.ts'

const dayMs = 86_400_000

/** Returns the names of the files of blobs of sha256. */
const filesOf = ({ place }: ServedRegistry): readonly string[] =>
  readdirSync(join(place.dataDir, 'registry', 'blobs'), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ name }) => name.slice(0, 64))

/** Returns the parts of the collection over the place of a server, as if `laterMs` milliseconds had passed. */
async function partsOf({ place }: ServedRegistry, laterMs: number): Promise<CollectionParts> {
  const store = await openBeside(place, storeCollections(areas))
  return {
    blobs: new BlobFolder({ folder: join(place.dataDir, 'registry'), report: () => {} }),
    clock: { now: () => Date.now() + laterMs, newId: () => '' },
    collectionGraceMs: dayMs,
    store,
    taxonomy: taxonomyFunctions,
  }
}

/** Runs a task of the collection. */
async function run(
  task: (parts: CollectionParts, turn: Parameters<typeof collectBlobs>[1]) => Promise<void>,
  parts: CollectionParts,
): Promise<void> {
  await task(parts, { signal: new AbortController().signal, tx: fn => parts.store.tx(fn) })
}

describe('the collection of garbage', () => {
  it('deletes the blobs that no repository has, and no others', async () => {
    const served = await servedRegistry(onTestFinished)
    const { oci, repository } = served
    for (const name of ['one', 'two']) await repository(name)
    const digest = await oci.pushImage('acme/web/one', 'v1', 'a layer of one')
    await oci.pushImage('acme/web/one', 'v2', 'a layer of both')
    await oci.pushImage('acme/web/two', 'v1', 'a layer of both')
    await oci.send(`/v2/acme/web/one/manifests/${digest}`, { method: 'DELETE' })
    const hexes = ['a layer of one', 'a layer of both'].map(text => digestOf(text).slice('sha256:'.length))
    await expect.poll(() => hexes.map(hex => filesOf(served).includes(hex))).toEqual([false, true])
    await oci.pushImage('acme/web/two', 'v2', 'a layer of one')
    const read = await oci.send(`/v2/acme/web/two/blobs/${digestOf('a layer of one')}`)
    expect(new TextDecoder().decode(read.bytes)).toBe('a layer of one')
    expect(await doctorFindings(served.place)).toEqual([])
  })

  it('waits for the grace, and then for the last manifest and the last repository of a blob', async () => {
    const served = await servedRegistry(onTestFinished, dayMs)
    const { oci, repository } = served
    await repository('one')
    await oci.pushBlob('acme/web/one', 'abandoned')
    await oci.pushImage('acme/web/one', 'v1', 'kept')
    const blob = `/v2/acme/web/one/blobs/${digestOf('abandoned')}`
    const soon = await partsOf(served, dayMs / 2)
    const later = await partsOf(served, dayMs + 60_000)
    await run(unlinkAbandoned, soon)
    expect((await oci.send(blob)).status).toBe(200)
    await run(unlinkAbandoned, later)
    expect(faultOf(await oci.send(blob))).toBe('404 BLOB_UNKNOWN')
    const isFile = () => filesOf(served).includes(digestOf('abandoned').slice('sha256:'.length))
    await run(collectBlobs, later)
    expect(isFile()).toBe(true)
    await run(collectBlobs, await partsOf(served, 2 * dayMs + 120_000))
    expect(isFile()).toBe(false)
    expect((await oci.send('/v2/acme/web/one/manifests/v1')).status).toBe(200)
    expect((await oci.send(`/v2/acme/web/one/blobs/${digestOf('kept')}`)).status).toBe(200)
    expect(await doctorFindings(served.place)).toEqual([])
  })

  it('of a marked blob leaves the file that a push has written meanwhile', async () => {
    const served = await servedRegistry(onTestFinished, dayMs)
    const { oci, repository } = served
    await repository('one')
    await oci.pushBlob('acme/web/one', 'raced')
    await oci.send(`/v2/acme/web/one/blobs/${digestOf('raced')}`, { method: 'DELETE' })
    const parts = await partsOf(served, 2 * dayMs)
    const { blobs } = parts
    const raced: CollectionParts = {
      ...parts,
      blobs: Object.assign(Object.create(blobs), {
        async remove(file: string) {
          // The blob is marked now, so the push finds no blob.
          await oci.pushBlob('acme/web/one', 'raced')
          await blobs.remove(file)
        },
      }),
    }
    await run(collectBlobs, raced)
    const read = await oci.send(`/v2/acme/web/one/blobs/${digestOf('raced')}`)
    expect(new TextDecoder().decode(read.bytes)).toBe('raced')
    await run(collectBlobs, parts)
    expect((await oci.send(`/v2/acme/web/one/blobs/${digestOf('raced')}`)).status).toBe(200)
  })

  it('ends uploads that received nothing for a day, and deletes bytes without a row', async () => {
    const served = await servedRegistry(onTestFinished, dayMs)
    const { oci, repository } = served
    await repository('one')
    const begun = await oci.send('/v2/acme/web/one/blobs/uploads/', { method: 'POST' })
    const location = begun.headers.get('location') ?? ''
    await oci.send(location, { method: 'PATCH', body: 'some bytes' })
    const parts = await partsOf(served, dayMs - 60_000)
    await parts.blobs.append('left', new Blob(['left']).stream(), {
      algorithm: 'sha256',
      maxBytes: 9,
      tooLong: () => new Error('too long'),
    })
    await run(endIdleUploads, parts)
    await run(collectLeftovers, parts)
    const uploads = () => readdirSync(join(served.place.dataDir, 'registry', 'uploads'))
    expect(uploads()).toEqual([location.split('/').at(-1)])
    await run(endIdleUploads, await partsOf(served, dayMs + 60_000))
    expect(uploads()).toEqual([])
    expect(faultOf(await oci.send(location))).toBe('404 BLOB_UPLOAD_UNKNOWN')
  })
})
