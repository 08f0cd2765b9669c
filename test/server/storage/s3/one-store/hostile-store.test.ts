import { describe, expect, it, onTestFinished } from 'vitest'
import { RemoteFault } from '../../../../../domain/storage/remote-store/remote-fault.ts'
import type { RemoteStore } from '../../../../../domain/storage/remote-store/remote-store.ts'
import { hostileStore, type Answer } from '../hostile-store.ts'

const list = { prefix: '', delimiter: '', size: 10 }

/** Returns the fault of a call; fails for a call that succeeds, and for another error. */
async function faultOf(call: Promise<unknown>): Promise<RemoteFault> {
  const error: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof RemoteFault) return error
  throw new Error('no fault was thrown', { cause: error })
}

const xml =
  (status: number, body: string): Answer =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/xml' }).end(body)
  }

const entries = (count: number): string =>
  Array.from({ length: count }, (_, i) => `<Contents><Key>k${i}</Key><Size>1</Size></Contents>`).join('')

const unusable: readonly (readonly [name: string, answer: Answer])[] = [
  ['garbage instead of XML', xml(200, '\u0000\u0001 no xml <<<')],
  ['XML that ends early', xml(200, '<ListBucketResult><Contents><Key>a')],
  ['an error without a code', xml(500, 'out of order')],
  ['an error of the server', xml(503, '<Error><Code>SlowDown</Code><Message>hidden-word</Message></Error>')],
  ['more entries than requested', xml(200, `<ListBucketResult>${entries(11)}</ListBucketResult>`)],
  [
    'a list that goes on without a mark',
    xml(200, '<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>'),
  ],
  [
    'names that are not encoded',
    xml(
      200,
      '<ListBucketResult><EncodingType>url</EncodingType><Contents><Key>%zz</Key></Contents></ListBucketResult>',
    ),
  ],
  ['a connection that is cut', (request, response) => void (response.destroy(), request.destroy())],
  [
    'a body without an end',
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/xml' })
      const chunk = 'x'.repeat(1_000_000)
      const write = (): void => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once('drain', write)
      }
      write()
    },
  ],
]

describe('a faulty S3 store', { timeout: 60_000 }, () => {
  it.each(unusable)('is unavailable if it answers %s', async (_name, answer) => {
    const { account, requests } = await hostileStore(answer)
    const fault = await faultOf(account.objects('bucket', list))
    expect(fault.kind).toBe('unavailable')
    expect(fault.message).not.toContain('hidden-word')
    expect(requests()).toBeLessThanOrEqual(3)
  })

  it('does not lead the platform to another address', async () => {
    const { requests, url } = await hostileStore(xml(200, '<ListBucketResult></ListBucketResult>'))
    for (const status of [301, 302, 307]) {
      const { account } = await hostileStore((_request, response) => {
        response.writeHead(status, { location: `${url}/elsewhere` }).end()
      })
      expect((await faultOf(account.objects('bucket', list))).kind).toBe('unavailable')
    }
    expect(requests()).toBe(0)
  })

  it('may work on a completion for longer than on other requests', async () => {
    const times = { connectionMs: 60_000, answerMs: 300, bodyMs: 60_000, patienceMs: 60_000 }
    const completed = '<CompleteMultipartUploadResult><Key>a</Key></CompleteMultipartUploadResult>'
    const { account } = await hostileStore(
      (request, response) => void setTimeout(() => xml(200, completed)(request, response), 1500),
      onTestFinished,
      times,
    )
    expect((await faultOf(account.objects('bucket', list))).kind).toBe('unavailable')
    const parts = [{ number: 1, etag: 'e', sha256: '' }]
    const completion = { bucket: 'bucket', object: 'a', uploadId: 'u', parts, sha256: '', ifNoneMatch: false }
    await account.completeUpload(completion)
  })

  it('ends lists of parts and uploads that repeat themselves', async () => {
    const parts = '<Part><PartNumber>1</PartNumber><Size>1</Size><ETag>"e"</ETag></Part>'
    const { account, requests } = await hostileStore((request, response) => {
      const isParts = request.url?.includes('uploadId=') === true
      const body = isParts
        ? `<ListPartsResult><IsTruncated>true</IsTruncated>${parts}</ListPartsResult>`
        : '<ListMultipartUploadsResult><IsTruncated>true</IsTruncated><NextKeyMarker>a</NextKeyMarker></ListMultipartUploadsResult>'
      xml(200, body)(request, response)
    })
    const found = []
    for await (const part of account.parts({ bucket: 'bucket', object: 'a' }, 'upload')) found.push(part.number)
    expect(found).toEqual([1])
    for await (const upload of account.uploads('bucket')) found.push(upload)
    expect(found).toEqual([1])
    expect(requests()).toBeLessThanOrEqual(4)
  })

  const codes: readonly (readonly [
    code: string,
    status: number,
    kind: string,
    call: (s: RemoteStore) => Promise<unknown>,
  ])[] = [
    ['NoSuchBucket', 404, 'bucket', store => store.objects('bucket', list)],
    ['NoSuchUpload', 404, 'upload', store => store.putPart({ bucket: 'b', object: 'a' }, 'u', 1, 'x')],
    ['AccessDenied', 403, 'refused', store => store.objects('bucket', list)],
    ['InvalidAccessKeyId', 403, 'refused', store => store.objects('bucket', list)],
    ['BucketNotEmpty', 409, 'notEmpty', store => store.deleteBucket('bucket')],
    ['BucketAlreadyExists', 409, 'exists', store => store.createBucket('bucket')],
    [
      'PreconditionFailed',
      412,
      'precondition',
      store => store.put({ bucket: 'b', object: 'a', body: 'x', ifNoneMatch: true }),
    ],
    ['NotImplemented', 501, 'unsupported', store => store.setVersioning('bucket', 'Enabled')],
  ]

  it.each(codes)('answers %s with the status %i, which is a fault of the kind %s', async (code, status, kind, call) => {
    const { account } = await hostileStore(xml(status, `<Error><Code>${code}</Code><Message>no</Message></Error>`))
    expect((await faultOf(call(account))).kind).toBe(kind)
  })
})
