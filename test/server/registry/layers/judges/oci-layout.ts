import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ImageLayer } from '../../../../../domain/registry/scanning/inventory.ts'
import { layerOf } from '../made-image.ts'

interface Descriptor {
  readonly digest: string
  readonly mediaType: string
}

/** Returns the layers of the first image of an OCI layout in a folder, the lowest first. */
export function layersOf(layout: string): readonly ImageLayer[] {
  const blob = (digest: string): Buffer => readFileSync(join(layout, 'blobs', ...digest.split(':')))
  const index: { readonly manifests: readonly Descriptor[] } = JSON.parse(
    readFileSync(join(layout, 'index.json'), 'utf8'),
  )
  const manifest: { readonly layers: readonly Descriptor[] } = JSON.parse(
    blob(index.manifests[0]?.digest ?? '').toString('utf8'),
  )
  return manifest.layers.map(({ digest, mediaType }) => layerOf(blob(digest), mediaType))
}
