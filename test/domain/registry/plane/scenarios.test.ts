import { beforeAll, describe, expect, it } from 'vitest'
import { faultOf } from '../oci-client.ts'
import { servedRegistry, type ServedRegistry } from '../served-registry.ts'

let served: ServedRegistry
const undone: (() => void | Promise<void>)[] = []

beforeAll(async () => {
  served = await servedRegistry(undo => void undone.push(undo))
  return async () => {
    for (const undo of undone.toReversed()) await undo()
  }
})

describe('an image', () => {
  it('that is pushed can be pulled by tag and digest, byte for byte', async () => {
    const { oci, repository } = served
    await repository('api')
    const digest = await oci.pushImage('acme/web/api', 'v1', 'one layer')
    const byTag = await oci.send('/v2/acme/web/api/manifests/v1')
    const byDigest = await oci.send(`/v2/acme/web/api/manifests/${digest}`)
    expect(byTag.headers.get('docker-content-digest')).toBe(digest)
    expect(byDigest.bytes).toEqual(byTag.bytes)
    expect(faultOf(await oci.send('/v2/acme/web/api/manifests/v2'))).toBe('404 MANIFEST_UNKNOWN')
  })

  it('is refused in a repository that nobody created', async () => {
    const { oci } = served
    const answer = await oci.send('/v2/acme/web/nope/blobs/uploads/', { method: 'POST' })
    expect(faultOf(answer)).toBe('404 NAME_UNKNOWN')
  })
})
