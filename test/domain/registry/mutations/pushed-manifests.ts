import { digestOf, ociImage, ociIndex } from '../oci-client.ts'
import type { ModelManifest } from './repository-model.ts'

const configType = 'application/vnd.oci.image.config.v1+json'

/** A manifest to push. */
export interface PushedText extends ModelManifest {
  readonly text: string
  readonly type: string
}

const layerType = 'application/vnd.oci.image.layer.v1.tar'

const descriptor = (text: string, mediaType = layerType) => ({
  mediaType,
  digest: digestOf(text),
  size: text.length,
})

/** Returns an image of layers, or another artifact of the same blobs, which may be about a subject. */
export function imageOf(
  layers: readonly string[],
  {
    isImage,
    note,
    subject,
  }: { readonly isImage: boolean; readonly note: string; readonly subject?: string | undefined },
): PushedText {
  const config = descriptor('{}', isImage ? configType : 'application/vnd.test.config')
  const manifest = {
    schemaVersion: 2,
    mediaType: ociImage,
    config,
    layers: layers.map(text => descriptor(text)),
    annotations: { note },
    ...(subject !== undefined && { subject: { mediaType: ociImage, digest: subject, size: 1 } }),
  }
  const blobs = new Map(['{}', ...layers].map(text => [digestOf(text), text.length]))
  return pushed(manifest, ociImage, { kind: isImage ? 'IMAGE' : 'ARTIFACT', blobs, children: [], subject, layers })
}

/** Returns an index of manifests. */
export function indexOf(children: readonly string[], note: string): PushedText {
  const manifests = children.map(digest => ({ mediaType: ociImage, digest, size: 1 }))
  const index = { schemaVersion: 2, mediaType: ociIndex, manifests, annotations: { note } }
  return pushed(index, ociIndex, {
    kind: 'INDEX',
    blobs: new Map(),
    children,
    subject: undefined,
    layers: [],
  })
}

function pushed(manifest: object, type: string, facts: Omit<ModelManifest, 'digest' | 'bytes'>): PushedText {
  const text = JSON.stringify(manifest)
  return { ...facts, text, type, digest: digestOf(text), bytes: text.length }
}
