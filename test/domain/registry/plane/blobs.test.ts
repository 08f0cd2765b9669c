import { describe, expect, it } from 'vitest'
import { digestOf, faultOf, type OciAnswer } from '../oci-client.ts'
import { servedInBucket, servedRegistry } from '../served-registry.ts'
import { sharedRegistry } from './shared-registry.ts'

describe.each([
  ['folder', servedRegistry],
  ['bucket', servedInBucket],
] as const)('over a %s', (_, serve) => {
  const registry = sharedRegistry(serve)
  let repositories = 0

  /** Creates a repository, and returns the beginning of its paths. */
  async function newRepository(): Promise<string> {
    repositories += 1
    await registry().repository(`blobs-${repositories}`)
    return `/v2/acme/web/blobs-${repositories}`
  }

  const send = (
    path: string,
    method = 'GET',
    body?: string,
    headers: Record<string, string> = {},
  ): Promise<OciAnswer> => registry().oci.send(path, { method, headers, ...(body !== undefined && { body }) })

  const at = ({ headers }: OciAnswer): string => headers.get('location') ?? ''

  const withDigest = (location: string, digest: string): string => `${location}?digest=${digest}`

  const textOf = ({ bytes }: OciAnswer): string => new TextDecoder().decode(bytes)

  describe.each(['sha256', 'sha512'] as const)('a blob of %s', algorithm => {
    const text = `content of ${algorithm}`
    const digest = digestOf(text, algorithm)

    it('is stored by one POST', async () => {
      const path = await newRepository()
      const made = await send(`${path}/blobs/uploads/?digest=${digest}`, 'POST', text)
      expect([made.status, at(made)]).toEqual([201, `${path}/blobs/${digest}`])
      const read = await send(at(made))
      expect([textOf(read), read.headers.get('docker-content-digest')]).toEqual([text, digest])
    })

    it('is stored by a POST and a PUT', async () => {
      const path = await newRepository()
      const session = await send(`${path}/blobs/uploads/`, 'POST')
      expect([session.status, session.headers.get('range')]).toEqual([202, '0-0'])
      const made = await send(withDigest(at(session), digest), 'PUT', text)
      expect(made.status).toBe(201)
      expect(textOf(await send(`${path}/blobs/${digest}`))).toBe(text)
      expect(faultOf(await send(at(session)))).toBe('404 BLOB_UPLOAD_UNKNOWN')
    })

    it('is stored as a stream and in chunks, of which the PUT may carry the last', async () => {
      const path = await newRepository()
      const session = await send(`${path}/blobs/uploads/`, 'POST')
      const streamed = await send(at(session), 'PATCH', text.slice(0, 3))
      expect([streamed.status, streamed.headers.get('range')]).toEqual([202, '0-2'])
      const chunk = await send(at(streamed), 'PATCH', text.slice(3, 7), { 'content-range': '3-6' })
      expect([chunk.status, chunk.headers.get('range')]).toEqual([202, '0-6'])
      const last = { 'content-range': `7-${text.length - 1}` }
      expect((await send(withDigest(at(chunk), digest), 'PUT', text.slice(7), last)).status).toBe(201)
      expect(textOf(await send(`${path}/blobs/${digest}`))).toBe(text)
    })

    it('is refused if its bytes have another digest', async () => {
      const path = await newRepository()
      expect(faultOf(await send(`${path}/blobs/uploads/?digest=${digest}`, 'POST', `${text}!`))).toBe(
        '400 DIGEST_INVALID',
      )
      const session = await send(`${path}/blobs/uploads/`, 'POST')
      expect(faultOf(await send(withDigest(at(session), digest), 'PUT', `${text}!`))).toBe('400 DIGEST_INVALID')
      expect(faultOf(await send(`${path}/blobs/${digest}`))).toBe('404 BLOB_UNKNOWN')
    })
  })

  describe('an upload', () => {
    it('in chunks takes no chunk twice, and says where it stands', async () => {
      const path = await newRepository()
      const session = at(await send(`${path}/blobs/uploads/`, 'POST'))
      await send(session, 'PATCH', 'aaaa', { 'content-range': '0-3' })
      await send(session, 'PATCH', 'bbbb', { 'content-range': '4-7' })
      const twice = await send(session, 'PATCH', 'bbbb', { 'content-range': '4-7' })
      expect([faultOf(twice), twice.headers.get('range')]).toEqual(['416 BLOB_UPLOAD_INVALID', '0-7'])
      const stands = await send(session)
      expect([stands.status, stands.headers.get('range')]).toEqual([204, '0-7'])
      await send(session, 'PATCH', 'cc', { 'content-range': '8-9' })
      expect((await send(withDigest(session, digestOf('aaaabbbbcc')), 'PUT')).status).toBe(201)
    })

    it.each([
      ['5-', 'aa', '400 BLOB_UPLOAD_INVALID'],
      ['1-0', 'aa', '400 BLOB_UPLOAD_INVALID'],
      ['0-5', 'aa', '400 BLOB_UPLOAD_INVALID'],
      ['9-10', 'aa', '416 BLOB_UPLOAD_INVALID'],
    ])('refuses the range %s of "%s"', async (range, body, fault) => {
      const path = await newRepository()
      const session = at(await send(`${path}/blobs/uploads/`, 'POST'))
      expect(faultOf(await send(session, 'PATCH', body, { 'content-range': range }))).toBe(fault)
    })

    it('that is cancelled is unknown, and so is one of another repository', async () => {
      const path = await newRepository()
      const other = await newRepository()
      const session = at(await send(`${path}/blobs/uploads/`, 'POST'))
      expect(faultOf(await send(session.replace(path, other)))).toBe('404 BLOB_UPLOAD_UNKNOWN')
      expect((await send(session, 'DELETE')).status).toBe(204)
      expect(faultOf(await send(session, 'PATCH', 'a'))).toBe('404 BLOB_UPLOAD_UNKNOWN')
    })

    it('needs a digest at its end', async () => {
      const path = await newRepository()
      const session = at(await send(`${path}/blobs/uploads/`, 'POST'))
      for (const query of ['', '?digest=', '?digest=sha256:ab', `?digest=md5:${'a'.repeat(32)}`])
        expect(faultOf(await send(`${session}${query}`, 'PUT'))).toBe('400 DIGEST_INVALID')
    })
  })

  describe('a blob', () => {
    it('that is empty is stored and read', async () => {
      const path = await newRepository()
      const digest = digestOf('')
      const session = at(await send(`${path}/blobs/uploads/`, 'POST'))
      expect((await send(withDigest(session, digest), 'PUT')).status).toBe(201)
      const read = await send(`${path}/blobs/${digest}`)
      expect([read.status, read.bytes.length, read.headers.get('content-length')]).toEqual([200, 0, '0'])
    })

    it('is read in ranges', async () => {
      const path = await newRepository()
      const digest = digestOf('0123456789')
      await send(`${path}/blobs/uploads/?digest=${digest}`, 'POST', '0123456789')
      const ranges: Record<string, string> = {}
      for (const range of ['2-4', '7-', '-3', '8-99', '4-2', '10-12', 'x'])
        ranges[range] = await send(`${path}/blobs/${digest}`, 'GET', undefined, { range: `bytes=${range}` }).then(
          answer =>
            `${answer.status} ${answer.headers.get('content-range') ?? ''} ${answer.status < 400 ? textOf(answer) : ''}`,
        )
      expect(ranges).toEqual({
        '2-4': '206 bytes 2-4/10 234',
        '7-': '206 bytes 7-9/10 789',
        '-3': '206 bytes 7-9/10 789',
        '8-99': '206 bytes 8-9/10 89',
        '4-2': '416 bytes */10 ',
        '10-12': '416 bytes */10 ',
        x: '200  0123456789',
      })
      const head = await send(`${path}/blobs/${digest}`, 'HEAD')
      expect([head.status, head.headers.get('content-length'), head.bytes.length]).toEqual([200, '10', 0])
    })

    it('of another repository is absent until it is mounted, with or without its source', async () => {
      const { oci } = registry()
      const source = await newRepository()
      const from = source.slice('/v2/'.length)
      const digest = digestOf('shared by mounts')
      await send(`${source}/blobs/uploads/?digest=${digest}`, 'POST', 'shared by mounts')
      for (const query of [`mount=${digest}&from=${from}`, `mount=${digest}`]) {
        const path = await newRepository()
        expect(faultOf(await send(`${path}/blobs/${digest}`))).toBe('404 BLOB_UNKNOWN')
        const mounted = await send(`${path}/blobs/uploads/?${query}`, 'POST')
        expect([mounted.status, at(mounted)]).toEqual([201, `${path}/blobs/${digest}`])
        expect(textOf(await send(`${path}/blobs/${digest}`))).toBe('shared by mounts')
      }
      const target = await newRepository()
      const token = await oci.token(`repository:${target.slice('/v2/'.length)}:pull,push`)
      const narrow = await oci.send(`${target}/blobs/uploads/?mount=${digest}&from=${from}`, { method: 'POST', token })
      expect(narrow.status).toBe(202)
      const missing = digestOf('nobody pushed this')
      expect((await send(`${target}/blobs/uploads/?mount=${missing}&from=${from}`, 'POST')).status).toBe(202)
    })

    it('is deleted, unless a manifest names it', async () => {
      const { oci } = registry()
      const path = await newRepository()
      const name = path.slice('/v2/'.length)
      const loose = await oci.pushBlob(name, 'a blob of no manifest')
      expect((await send(`${path}/blobs/${loose.digest}`, 'DELETE')).status).toBe(202)
      expect(faultOf(await send(`${path}/blobs/${loose.digest}`, 'DELETE'))).toBe('404 BLOB_UNKNOWN')
      await oci.pushImage(name, 'v1', 'a layer in use')
      expect(faultOf(await send(`${path}/blobs/${digestOf('a layer in use')}`, 'DELETE'))).toBe(
        '409 DENIED ARTIFACT_REFERENCED',
      )
    })
  })
})
