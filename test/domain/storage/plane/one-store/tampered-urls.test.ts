import { expect, it } from 'vitest'
import type { PresignedUrl } from '../../../../../output/storage/types.ts'
import { tenantStorage, type TenantStorage } from '../../tenant-storage.ts'
import { requestOf, sendRaw, type RawRequest } from '../raw-request.ts'
import { uploadConditions } from '../upload-conditions.ts'

/** A request that differs from the signed request in one part, and the status and the reason of its refusal. */
type Case = readonly [name: string, request: RawRequest, status: number, reason: string]

const refused = (name: string, request: RawRequest): Case => [name, request, 403, 'SIGNATURE_INVALID']

const flipped = (text: string): string => text.replace(/.$/, last => (last === '0' ? '1' : '0'))

/** Each signed header is left out, changed, repeated, and sent in upper case. */
function headerCases(request: RawRequest): readonly Case[] {
  return Object.entries(request.headers).flatMap(([name, value = '']) => {
    const sent = (text: string | undefined): RawRequest => ({
      ...request,
      headers: { ...request.headers, [name]: text },
    })
    const absent: Case =
      name === 'content-length'
        ? [`no ${name}`, sent(undefined), 411, 'CONTENT_LENGTH_REQUIRED']
        : refused(`no ${name}`, sent(undefined))
    const upper = value.toUpperCase()
    return [
      absent,
      refused(`another ${name}`, sent(flipped(value))),
      refused(`a longer ${name}`, sent(`${value}0`)),
      refused(`an empty ${name}`, sent('')),
      refused(`${name} twice`, sent(`${value}, ${value}`)),
      ...(upper === value ? [] : [refused(`${name} in upper case`, sent(upper))]),
    ]
  })
}

/** Each parameter is left out, emptied, changed, repeated, and given under its name in lower case. */
function queryCases(request: RawRequest): readonly Case[] {
  return request.query.flatMap(([name, value], at) => {
    const instead = (...parts: (readonly [string, string])[]): RawRequest => ({
      ...request,
      query: request.query.toSpliced(at, 1, ...parts),
    })
    return [
      refused(`no ${name}`, instead()),
      refused(`an empty ${name}`, instead([name, ''])),
      refused(`another ${name}`, instead([name, flipped(value)])),
      refused(`a longer ${name}`, instead([name, `${value}0`])),
      refused(`a blank before ${name}`, instead([name, `%20${value}`])),
      refused(`${name} twice`, instead([name, value], [name, value])),
      refused(`${name} with a second value`, instead([name, value], [name, flipped(value)])),
      refused(
        `${name} in lower case`,
        instead([name.toLowerCase(), value]).query[at]?.[0] === name
          ? instead([name.toUpperCase(), value])
          : instead([name.toLowerCase(), value]),
      ),
      refused(
        `${name} and its lower case`,
        instead([name, value], [name.toLowerCase() === name ? name.toUpperCase() : name.toLowerCase(), value]),
      ),
    ]
  })
}

const addedParameters = [
  ['versionId', '01900000-0000-7000-8000-000000000001'],
  ['uploadId', '01900000-0000-7000-8000-000000000001'],
  ['partNumber', '1'],
  ['x-nf-max-length', '1000000'],
  ['x-nf-other', '1'],
  ['response-content-type', 'text/html'],
  ['response-content-encoding', 'gzip'],
  ['X-Amz-Security-Token', 'x'],
  ['x-amz-signature', 'x'],
  ['X-AMZ-SIGNATURE', 'x'],
  ['x-id', 'PutObject'],
  ['acl', ''],
  ['', ''],
  ['__proto__', 'x'],
  ['constructor', 'x'],
] as const

const addedHeaders = [
  'x-amz-acl',
  'x-amz-date',
  'x-amz-content-sha256',
  'x-amz-security-token',
  'x-amz-meta-z',
  'x-amz-checksum-crc32c',
  'x-amz-sdk-checksum-algorithm',
  'x-amz-server-side-encryption',
  'x-amz-copy-source',
  'x-nf-principal',
  'x-nf-max-length',
]

function addedCases(request: RawRequest): readonly Case[] {
  const signedHeaders = request.query.findIndex(([name]) => name === 'X-Amz-SignedHeaders')
  const names = request.query[signedHeaders]?.[1] ?? ''
  const naming = (text: string): RawRequest => ({
    ...request,
    query: request.query.with(signedHeaders, ['X-Amz-SignedHeaders', text]),
  })
  return [
    ...addedParameters.map(([name, value]) =>
      refused(`the parameter ${name}`, { ...request, query: [...request.query, [name, value]] }),
    ),
    ...addedHeaders
      .filter(name => request.headers[name] === undefined)
      .map(name => refused(`the header ${name}`, { ...request, headers: { ...request.headers, [name]: 'x' } })),
    refused('a credential of another day', {
      ...request,
      query: request.query.map(([name, value]) => [name, value.replace(/%2F\d{8}%2F/, '%2F20200101%2F')] as const),
    }),
    refused('a credential of another service', {
      ...request,
      query: request.query.map(([name, value]) => [name, value.replace('%2Fs3%2F', '%2Fec2%2F')] as const),
    }),
    refused('a credential of another engine', {
      ...request,
      query: request.query.map(([name, value]) => [name, value.replace('%2Fnative%2F', '%2Fs3%2F')] as const),
    }),
    refused('signed headers that name a further header', naming(`${names}%3Bx-amz-date`)),
    refused('signed headers that name a header twice', naming(`${names}%3Bhost`)),
    refused('signed headers in another order', naming(`zz%3B${names}`)),
    refused('signed headers with an empty name', naming(`${names}%3B`)),
    ...['authorization', 'date', 'x-amz-date'].map(name => {
      const more = naming(`${names}%3B${name}`)
      return refused(`a named header ${name} that no signature covers`, {
        ...more,
        headers: { ...more.headers, [name]: 'x' },
      })
    }),
  ]
}

/** Other spellings of the path: other objects, other buckets, and encodings of other names. */
function pathCases(request: RawRequest, other: string): readonly Case[] {
  const { path } = request
  const object = path.split('/').slice(4).join('/')
  const before = path.slice(0, path.length - object.length)
  const bucket = path.split('/')[3] ?? ''
  const at = (text: string): RawRequest => ({ ...request, path: text })
  return [
    refused('another object', at(`${path}x`)),
    refused('a shorter object', at(path.slice(0, -1))),
    refused('an object in upper case', at(`${before}${object.toUpperCase().replaceAll('%2B', '%2b')}`)),
    refused('a slash at the end', at(`${path}/`)),
    refused('a slash more', at(`${before}/${object}`)),
    refused('an object that is encoded twice', at(`${before}${object.replaceAll('%', '%25')}`)),
    refused('a blank as a plus', at(path.replaceAll('%20', '+'))),
    refused('another bucket', at(path.replace(bucket, other))),
    refused('a bucket in upper case', at(path.replace(bucket, bucket.toUpperCase()))),
    refused('a bucket that does not exist', at(path.replace(bucket, '01900000-0000-7000-8000-000000000001'))),
    refused('dots to another bucket', at(`${before}../${other}/${object}`)),
    refused('encoded dots to another bucket', at(`${before}%2e%2e/${other}/${object}`)),
    refused('dots to the same object', at(`${before}x/../${object}`)),
    refused('a dot', at(`${before}./${object}`)),
    refused('a backslash', at(path.replace(/\/([^/]*)$/, '%5C$1'))),
    refused('a NUL', at(`${path}%00`)),
    [`bytes that are not UTF-8`, at(`${path}%ff`), 400, 'FIELD_INVALID'],
    [`a cut escape`, at(`${path}%e`), 400, 'FIELD_INVALID'],
    [`no object`, at(before.slice(0, -1)), 404, 'ROUTE_NOT_FOUND'],
    [`another plane`, at(path.replace('/v1/', '/v2/')), 404, 'ROUTE_NOT_FOUND'],
  ]
}

const methodCases = (request: RawRequest, methods: readonly string[]): readonly Case[] => [
  ...methods.map(method => refused(`the method ${method}`, { ...request, method })),
  ...['DELETE', 'POST', 'PATCH', 'TRACE', 'COPY', 'get', 'put'].map((method): Case => [
    `the method ${method}`,
    { ...request, method },
    405,
    'ROUTE_NOT_FOUND',
  ]),
]

async function expectRefused({ platform }: TenantStorage, cases: readonly Case[]): Promise<void> {
  const answers = []
  for (const [name, request] of cases) {
    const { message, reason, status } = await sendRaw(platform, request)
    answers.push([name, status, reason, message.length > 20])
  }
  expect(answers).toEqual(cases.map(([name, , status, reason]) => [name, status, reason, true]))
  expect(new Set(cases.map(([name]) => name)).size).toBe(cases.length)
}

/** The object of the URLs; its name has characters of all kinds of encoding. */
const object = 'a/ü b+c%2Fd.txt'

async function twoBuckets() {
  const tenant = await tenantStorage()
  const { admin, at, workspace } = tenant
  const made = await admin.api.storage.createBucket({ workspace, engine: 'native', body: { name: 'other' } })
  return { ...tenant, other: made.resource_id, signed: (url: PresignedUrl, body?: string) => requestOf(url, body), at }
}

it('an upload is refused with each other part, and is then stored as signed', async () => {
  const { admin, at, other, ...tenant } = await twoBuckets()
  const body = { object, ...uploadConditions }
  const request = requestOf(await admin.api.storage.createPresignedUploadUrl({ ...at, body }), 'hello')
  const cases = [
    ...headerCases(request),
    ...queryCases(request),
    ...addedCases(request),
    ...pathCases(request, other),
    ...methodCases(request, ['GET', 'HEAD']),
  ]
  await expectRefused({ admin, at, ...tenant }, cases)
  expect(cases.length).toBeGreaterThan(180)
  expect(await tenant.usage()).toMatchObject({ version_count: 0, bytes: 0 })
  expect(await sendRaw(tenant.platform, request)).toMatchObject({ status: 200 })
})

it('a download is refused with each other part, and then answered as signed, also to HEAD', async () => {
  const { admin, at, other, ...tenant } = await twoBuckets()
  await tenant.put(object, 'hello')
  const overrides = {
    response_content_type: 'text/plain',
    response_content_disposition: 'inline',
    response_cache_control: 'no-store',
  }
  const { version_id } = await admin.api.storage.getObject({ ...at, object })
  const body = { object, version_id, ...overrides }
  const request = requestOf(await admin.api.storage.createPresignedDownloadUrl({ ...at, body }))
  const cases = [
    ...headerCases(request),
    ...queryCases(request),
    ...addedCases(request).filter(([name]) => !request.query.some(([each]) => name === `the parameter ${each}`)),
    ...pathCases(request, other),
    ...methodCases(request, ['PUT']),
  ]
  await expectRefused({ admin, at, ...tenant }, cases)
  expect(cases.length).toBeGreaterThan(130)
  for (const method of ['GET', 'HEAD'])
    expect(await sendRaw(tenant.platform, { ...request, method })).toMatchObject({ status: 200 })
})

it('a part and a bounded upload are refused with other numbers than signed', async () => {
  const { admin, at, other, ...tenant } = await twoBuckets()
  const { storage } = admin.api
  const { resource_id: upload_id } = await storage.createMultipartUpload({ ...at, body: { object } })
  const { part_urls } = await storage.createPartUrls({ ...at, upload_id, body: { parts: [{ part_number: 7 }] } })
  const bounded = await storage.createPresignedUploadUrl({ ...at, body: { object, max_content_length: 9 } })
  for (const url of [part_urls[0], bounded]) {
    if (!url) throw new Error('a part has no URL')
    const request = requestOf(url, 'hello')
    await expectRefused({ admin, at, ...tenant }, [...queryCases(request), ...pathCases(request, other)])
    expect(await sendRaw(tenant.platform, request)).toMatchObject({ status: 200 })
  }
})

it('other spellings of the same request are accepted, and headers without a meaning here have no effect', async () => {
  const { admin, at, platform, put } = await tenantStorage()
  await put(object, 'hello')
  const request = requestOf(await admin.api.storage.createPresignedDownloadUrl({ ...at, body: { object } }))
  const same: readonly RawRequest[] = [
    { ...request, query: request.query.toReversed() },
    { ...request, query: request.query.map(([name, value]) => [name, value.replaceAll('%2F', '%2f')] as const) },
    { ...request, path: request.path.replace('/a/', '/%61/') },
    { ...request, path: request.path.replaceAll('%2B', '+') },
    { ...request, path: `http://other.test${request.path}` },
    { ...request, headers: { ...request.headers, authorization: 'Bearer x', cookie: 'a=b', 'x-other': 'x' } },
    { ...request, headers: { ...request.headers, range: 'bytes=2^63', 'if-none-match': 'banana', 'if-match': '*' } },
  ]
  for (const each of same) expect(await sendRaw(platform, each)).toMatchObject({ status: 200 })
})
