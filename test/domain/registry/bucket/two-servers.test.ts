import { setTimeout as nextPoll } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { doctorFindings } from '../../../areas/doctor.ts'
import { signIn } from '../../../server/access/sign-in.ts'
import { digestOf, faultOf, OciClient } from '../oci-client.ts'
import { servedInBucket, serveRegistry } from '../served-registry.ts'

const uploads = '/v2/acme/web/api/blobs/uploads/'

/** Sends a call again until the server has the content of the bucket. */
async function patiently(send: () => ReturnType<OciClient['send']>): ReturnType<OciClient['send']> {
  const until = performance.now() + 60_000
  for (;;) {
    const answer = await send()
    if (answer.status !== 503 || performance.now() > until) return answer
    await nextPoll(50)
  }
}

it(
  'uploads that one server has begun are ended by another server once that one has ended',
  { timeout: 120_000 },
  async () => {
    const { close, oci, place, repository } = await servedInBucket(onTestFinished)
    await repository('api')
    const { url } = await serveRegistry(place, onTestFinished)
    const other = new OciClient(url, await signIn(url))
    const begun = new Map<string, string>()
    for (const chunks of [['whole'], ['in ', 'three ', 'chunks']]) {
      const location = (await other.send(uploads, { method: 'POST' })).headers.get('location') ?? ''
      for (const body of chunks) expect((await oci.send(location, { method: 'PATCH', body })).status).toBe(202)
      begun.set(chunks.join(''), location)
    }
    for (const [{ length }, location] of begun) {
      const stands = await other.send(location)
      expect([stands.status, stands.headers.get('range')]).toEqual([204, `0-${length - 1}`])
      const late = { method: 'PATCH', body: 'x', headers: { 'content-range': '0-0' } }
      expect(faultOf(await other.send(location, late))).toBe('416 BLOB_UPLOAD_INVALID')
      const refused = await other.send(location, { method: 'PATCH', body: '!' })
      expect([refused.status, refused.headers.has('retry-after')]).toEqual([503, true])
    }
    await close()
    for (const [text, location] of begun) {
      const { length } = text
      const last = { method: 'PATCH', body: '!', headers: { 'content-range': `${length}-${length}` } }
      const appended = await patiently(() => other.send(location, last))
      expect([appended.status, appended.headers.get('range')]).toEqual([202, `0-${length}`])
      const digest = digestOf(`${text}!`)
      expect((await other.send(`${location}?digest=${digest}`, { method: 'PUT' })).status).toBe(201)
      const read = await other.send(`/v2/acme/web/api/blobs/${digest}`)
      expect(new TextDecoder().decode(read.bytes)).toBe(`${text}!`)
    }
    expect(await doctorFindings(place)).toEqual([])
  },
)
