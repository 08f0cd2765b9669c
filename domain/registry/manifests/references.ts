import type { Descriptor, Manifest } from './manifest.ts'
import { isForeignLayer } from './media-types.ts'

/** Returns the blobs that a manifest names, each once: its config and its layers. */
export function blobsOf({ config, layers }: Manifest): readonly Descriptor[] {
  const all = config ? [config, ...layers] : layers
  return [...new Map(all.map(blob => [blob.digest, blob])).values()]
}

/** Returns the digests of the blobs that must be present when a manifest is pushed. */
export const requiredBlobs = (manifest: Manifest): readonly string[] =>
  blobsOf(manifest)
    .filter(({ media_type }) => !isForeignLayer(media_type))
    .map(({ digest }) => digest)

/** Returns the digests of the manifests that an index lists, each once. */
export const childrenOf = ({ children }: Manifest): readonly string[] => [
  ...new Set(children.map(({ digest }) => digest)),
]

/** Returns the size of an artifact in bytes: the manifest, its config and its layers, each once. */
export const artifactSize = (manifest: Manifest, manifestBytes: number): number =>
  blobsOf(manifest).reduce((sum, { size }) => sum + size, manifestBytes)

/** Returns what a manifest says it is: its artifact type, or without one the type of its config. */
export const typeOfArtifact = ({ artifactType, config }: Manifest): string =>
  artifactType === '' ? (config?.media_type ?? '') : artifactType
