import { digestOf, type OciAnswer, type OciClient } from './oci-client.ts'

/** Sends a call to the registry, and returns the answer. */
export type SendOci = OciClient['send']

/** Uploads a text of at least three characters in two chunks; returns the answer of the last call, or an earlier refusal. */
export async function uploadInChunks(send: SendOci, name: string, text: string): Promise<OciAnswer> {
  const begun = await send(`/v2/${name}/blobs/uploads/`, { method: 'POST' })
  if (begun.status !== 202) return begun
  const location = begun.headers.get('location') ?? ''
  const headers = { 'content-range': '0-1' }
  const chunk = await send(location, { method: 'PATCH', body: text.slice(0, 2), headers })
  // The server has the chunk of a call that was sent again.
  if (chunk.status !== 202 && chunk.status !== 416) return chunk
  return send(`${location}?digest=${digestOf(text)}`, {
    method: 'PUT',
    body: text.slice(2),
    headers: { 'content-range': `2-${text.length - 1}` },
  })
}
