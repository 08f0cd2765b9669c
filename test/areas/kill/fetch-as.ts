import { request } from 'node:http'

/** Sends a request as `fetch` does; the header `host`, which `fetch` ignores, is sent as given. */
export const fetchAs: typeof fetch = (target, init = {}) => {
  const headers = new Headers(init.headers)
  if (typeof target !== 'string' || !headers.has('host')) return fetch(target, init)
  const { promise, reject, resolve } = Promise.withResolvers<Response>()
  const sent = request(target, { method: init.method ?? 'GET', headers: Object.fromEntries(headers) }, answer => {
    const chunks: Buffer<ArrayBuffer>[] = []
    answer.on('data', (chunk: Buffer<ArrayBuffer>) => void chunks.push(chunk))
    answer.on('error', reject)
    answer.on('end', () => {
      const { statusCode: status = 0 } = answer
      const body = status === 204 || status === 304 ? null : Buffer.concat(chunks)
      resolve(
        new Response(body, {
          status,
          headers: new Headers(Object.entries(answer.headers).map(([name, value]) => [name, String(value)])),
        }),
      )
    })
  })
  sent.on('error', reject)
  const body = init.body ?? undefined
  if (body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array))
    throw new Error('a body for another host must be text or bytes')
  sent.end(body)
  return promise
}
