import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { storeFile } from '../../../../../server/platform-store.ts'
import { digestOf, faultOf, ociImage, ociIndex } from '../../oci-client.ts'
import { sharedRegistry } from '../shared-registry.ts'

const registry = sharedRegistry()

/** Returns descriptors of content that no repository has. */
const absent = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ mediaType: ociImage, digest: digestOf(`absent ${i}`), size: 7 }))

it('a manifest that names absent content is refused without a transaction', async () => {
  const { oci, place } = registry()
  const name = 'acme/web/first'
  const image: { readonly config?: object } = await oci.image(name, 'first')
  const manifests = [
    [{ schemaVersion: 2, manifests: absent(10_000) }, ociIndex],
    [{ ...image, layers: absent(10_000) }, ociImage],
  ] as const
  const push = async (tag: string, [manifest, type]: (typeof manifests)[number]) =>
    faultOf(await oci.pushManifest(name, tag, manifest, type))
  // The client has its token before another process holds the file.
  expect(await push('v1', manifests[0])).toBe('404 MANIFEST_BLOB_UNKNOWN')
  const holder = new DatabaseSync(storeFile(place.dataDir))
  onTestFinished(() => holder.close())
  holder.exec('BEGIN IMMEDIATE')
  for (const manifest of manifests) expect(await push('v1', manifest)).toBe('404 MANIFEST_BLOB_UNKNOWN')
})
