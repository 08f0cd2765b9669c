import { once } from 'node:events'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { servedPlane, type ServedPlane } from '../server/storage/plane/served-plane.ts'
import { findChromium, openPage } from './chromium.ts'

const chromium = findChromium()

/** The steps of the page. Each is the body of an asynchronous function of the URLs, whose result is reported. */
const steps = {
  put: `
    const answer = await fetch(urls.upload, { method: 'PUT', headers: urls.headers, body: 'hello' })
    return [answer.status, answer.headers.get('etag')]`,
  get: `
    const answer = await fetch(urls.download)
    return [answer.status, answer.headers.get('etag'), answer.headers.get('last-modified'), await answer.text()]`,
  range: `
    const answer = await fetch(urls.download, { headers: { range: 'bytes=1-2' } })
    return [answer.status, await answer.text()]`,
  part: `
    const answer = await fetch(urls.part, { method: 'PUT', body: new Blob(['part']) })
    return [answer.status, answer.headers.get('etag')]`,
  refusal: `
    const answer = await fetch(urls.download + '0')
    const { details } = await answer.json()
    return [answer.status, details[0].reason]`,
  afterOpaque: `
    await fetch(urls.cached, { mode: 'no-cors' })
    const answer = await fetch(urls.cached)
    return [answer.status, await answer.text()]`,
  otherHeader: `
    const answer = await fetch(urls.upload, { method: 'PUT', headers: { ...urls.headers, 'x-other': 'x' }, body: 'hello' })
    return answer.status`,
  otherMethod: `
    const answer = await fetch(urls.download, { method: 'DELETE' })
    return answer.status`,
} as const

type Results = Partial<Record<keyof typeof steps, unknown>>

/** Returns the page that runs the steps and reports their results. */
function pageOf(urls: object): string {
  const functions = Object.entries(steps).map(([name, body]) => `${name}: async urls => {${body}\n}`)
  return `<!doctype html><title>storage</title><script type="module">
    const urls = ${JSON.stringify(urls)}
    const results = {}
    for (const [name, step] of Object.entries({${functions.join(',\n')}}))
      results[name] = await step(urls).catch(error => error.name)
    await fetch('/report', { method: 'POST', body: JSON.stringify(results) })
  </script>`
}

/** A server of a page, with an origin of its own. */
async function pageServer(): Promise<{
  readonly origin: string
  run(program: string, urls: object): Promise<Results>
}> {
  let page = ''
  let reported: (results: Results) => void = () => {}
  const server = createServer(async (request, response) => {
    if (request.url === '/report') reported(Object(await json(request)))
    response.setHeader('content-type', 'text/html')
    response.end(request.url === '/' ? page : '')
  })
  ends.push(() => {
    server.closeAllConnections()
    server.close()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  return {
    origin,
    async run(program, urls) {
      page = pageOf(urls)
      const report = new Promise<Results>(resolve => (reported = resolve))
      await using browser = openPage(program, `${origin}/`)
      const early = browser.ended.then(printed => Promise.reject(new Error(`chromium ended: ${printed}`)))
      return await Promise.race([report, early])
    },
  }
}

let ends: (() => void | Promise<void>)[] = []

describe.skipIf(chromium === undefined)('a page that reads and writes objects (install chromium to run this)', () => {
  let plane: ServedPlane
  /** The results of a page of an origin that the rules name, and of a page of another origin. */
  let allowed: Results
  let refused: Results

  beforeAll(async () => {
    const [own, other] = [await pageServer(), await pageServer()]
    const rule = {
      allowed_origins: [own.origin],
      allowed_methods: ['GET' as const, 'PUT' as const],
      allowed_headers: ['content-type', 'x-amz-meta-*', 'if-none-match'],
      expose_headers: ['ETag'],
    }
    plane = await servedPlane(end => void ends.push(end), { cors_rules: [rule] })
    await plane.put('cached', 'hello')
    allowed = await own.run(chromium ?? '', await urlsOf('allowed'))
    refused = await other.run(chromium ?? '', await urlsOf('refused'))
  })
  afterAll(async () => {
    for (const end of ends.toReversed()) await end()
    ends = []
  })

  async function urlsOf(object: string) {
    const { at, api, download, upload } = plane
    const conditions = { content_type: 'text/plain', content_length: 5, if_none_match: '*' } as const
    const signed = await upload(object, { ...conditions, custom_metadata: { a: 'one' } })
    const { resource_id: upload_id } = await api.storage.createMultipartUpload({ ...at, body: { object } })
    const { part_urls } = await api.storage.createPartUrls({ ...at, upload_id, body: { parts: [{ part_number: 1 }] } })
    // The browser sets the length itself, and lets no page set it.
    const { 'content-length': _, ...headers } = signed.headers
    return {
      upload: signed.url,
      headers,
      download: (await download(object)).url,
      cached: (await download('cached')).url,
      part: part_urls[0]?.url,
    }
  }

  it.each<[keyof typeof steps, unknown]>([
    ['put', [200, '"5d41402abc4b2a76b9719d911017c592"']],
    ['get', [200, '"5d41402abc4b2a76b9719d911017c592"', expect.any(String), 'hello']],
    ['range', [206, 'el']],
    ['part', [200, '"f4c9385f1902f7334b00b9b4ecd164de"']],
    ['refusal', [403, 'SIGNATURE_INVALID']],
    ['afterOpaque', [200, 'hello']],
    ['otherHeader', 'TypeError'],
    ['otherMethod', 'TypeError'],
  ])('of a named origin: %s', (step, expected) => expect(allowed[step]).toEqual(expected))

  it.each(Object.keys(steps))('of another origin is refused: %s', step => {
    expect(Object(refused)[step]).toBe('TypeError')
  })

  it('of another origin has written nothing', async () => {
    const { objects } = await plane.api.storage.listObjects(plane.at)
    expect(objects.map(({ name }) => name)).toEqual(['allowed', 'cached'])
  })
})
