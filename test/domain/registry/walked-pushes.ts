import { setTimeout as nextTry } from 'node:timers/promises'
import { uploadInChunks } from './chunked-upload.ts'
import { digestOf, faultOf, ociImage, ociIndex, type OciAnswer, type OciCall, type OciClient } from './oci-client.ts'

/** The text of the config of every image. */
export const config = '{"os":"linux","architecture":"amd64"}'

/** Returns the answer to a call. Throws unless its status is one of `statuses`. */
export async function accepted(
  client: OciClient,
  path: string,
  call: OciCall,
  ...statuses: number[]
): Promise<OciAnswer> {
  const answer = await client.send(path, call)
  if (statuses.includes(answer.status)) return answer
  throw new Error(`${call.method ?? 'GET'} ${path} is ${faultOf(answer)}`)
}

/** Uploads a blob in chunks, again if a killed server has ended the upload before its answer. */
export async function chunked(client: OciClient, name: string, text: string): Promise<void> {
  for (;;) {
    const answer = await uploadInChunks((...call) => client.send(...call), name, text)
    if (answer.status === 201) return
    if (answer.status !== 404 && answer.status !== 416) throw new Error(`the upload is ${faultOf(answer)}`)
    await nextTry(20)
  }
}

/** Begins an upload, and gives it up after some bytes. */
export async function cancelled(client: OciClient, name: string): Promise<void> {
  const begun = await accepted(client, `/v2/${name}/blobs/uploads/`, { method: 'POST' }, 202)
  const location = begun.headers.get('location') ?? ''
  await accepted(client, location, { method: 'PATCH', body: 'given up' }, 202)
  await accepted(client, location, { method: 'DELETE' }, 204, 404)
}

/** The media type of the layers of an image, and a note that makes its digest another one. */
interface ImageOptions {
  readonly layerType?: string
  readonly note?: string
}

/** Pushes an image of blobs that the repository has, and returns its digest. */
export async function pushed(
  client: OciClient,
  name: string,
  tag: string,
  layers: readonly string[],
  { layerType = 'application/x', note = '' }: ImageOptions = {},
): Promise<string> {
  const descriptor = (text: string) => ({ mediaType: layerType, digest: digestOf(text), size: text.length })
  const imageConfig = { ...descriptor(config), mediaType: 'application/vnd.oci.image.config.v1+json' }
  const manifest = {
    schemaVersion: 2,
    mediaType: ociImage,
    config: imageConfig,
    layers: layers.map(descriptor),
    annotations: { note },
  }
  return pushedManifest(client, name, tag, manifest, ociImage)
}

/** Pushes an index of images, and returns its digest. */
export const pushedIndex = (
  client: OciClient,
  name: string,
  children: readonly string[],
  tag = 'all',
): Promise<string> => {
  const manifests = children.map(digest => ({ mediaType: ociImage, digest, size: 1 }))
  return pushedManifest(client, name, tag, { schemaVersion: 2, mediaType: ociIndex, manifests }, ociIndex)
}

async function pushedManifest(client: OciClient, name: string, tag: string, manifest: object, type: string) {
  const call = { method: 'PUT', headers: { 'content-type': type }, body: JSON.stringify(manifest) }
  const answer = await accepted(client, `/v2/${name}/manifests/${tag}`, call, 201)
  return answer.headers.get('docker-content-digest') ?? ''
}
