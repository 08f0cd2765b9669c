import type { Reader } from '../../ports/store.ts'
import { manifestCollection, rowOf } from '../artifacts/artifacts-store.ts'
import { blobCollection, linkCollection, type StoredBlob } from '../blobs/blobs-store.ts'
import type { RegistryEnvironment } from '../environment.ts'
import type { Descriptor } from '../manifests/manifest.ts'
import { parseManifest } from '../manifests/parse-manifest.ts'
import { openBlob } from '../plane/read-blob.ts'
import type { ImageLayer } from '../scanning/inventory.ts'

/** The layers of an image that can be read, and descriptions of those that cannot. */
export interface ImageLayers {
  readonly layers: readonly ImageLayer[]
  readonly unsupported: readonly string[]
}

/** Returns the layers of an image, the lowest first; undefined if the image was deleted. */
export async function imageLayers(
  environment: Pick<RegistryEnvironment, 'blobs' | 'store'>,
  repository: string,
  { digest, media_type }: { readonly digest: string; readonly media_type: string },
): Promise<ImageLayers | undefined> {
  const { store } = environment
  const stored = await store.get(manifestCollection, rowOf(repository, digest))
  if (!stored) return undefined
  const { manifest } = parseManifest(new TextEncoder().encode(stored.value.text), media_type)
  const layers: ImageLayer[] = []
  const unsupported: string[] = []
  for (const layer of manifest.layers) {
    const blob = isFilesystem(layer) ? await linkedBlob(store, repository, layer.digest) : undefined
    if (blob) layers.push(readable(environment, repository, layer, blob))
    else if (isFilesystem(layer)) unsupported.push(`layer ${layer.digest}, which the repository does not have`)
    else unsupported.push(`layer ${layer.digest} of type ${layer.media_type.slice(0, 100)}`)
  }
  return { layers, unsupported }
}

const isFilesystem = ({ media_type }: Descriptor): boolean =>
  /^application\/vnd\.(?:oci\.image\.layer\.|docker\.image\.rootfs\.)/.test(media_type)

async function linkedBlob(reader: Reader, repository: string, digest: string): Promise<StoredBlob | undefined> {
  const link = await reader.get(linkCollection, rowOf(repository, digest))
  const blob = link && (await reader.get(blobCollection, digest))?.value
  return blob?.state === 'DELETING' ? undefined : blob
}

const readable = (
  environment: Pick<RegistryEnvironment, 'blobs' | 'store'>,
  repository: string,
  { digest, media_type }: Descriptor,
  blob: StoredBlob,
): ImageLayer => ({
  digest,
  media_type,
  size_bytes: blob.size,
  open: async () => (await openBlob(environment, repository, blob)).stream(0, blob.size - 1),
})
