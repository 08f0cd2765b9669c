import { beforeAll, describe, expect, it } from 'vitest'
import { doctorFindings } from '../../../../areas/doctor.ts'
import { processCpuSeconds } from '../../../../cpu-time.ts'
import { rawExchange } from '../../../../server/http/harness.ts'
import { digestOf, faultOf } from '../../oci-client.ts'
import { sharedRegistry } from '../shared-registry.ts'
import {
  hostileHeaders,
  hostileManifests,
  hostileNames,
  hostileQueries,
  hostileReferences,
  hostileTokens,
} from './hostile-inputs.ts'

const registry = sharedRegistry()
const name = 'acme/web/first'
const blob = `/v2/${name}/blobs/${digestOf('first')}`

let token: string
let digest: string

beforeAll(async () => {
  const { oci } = registry()
  digest = await oci.pushImage(name, 'v1', 'first')
  token = await oci.token(`repository:${name}:pull,push,delete`)
})

/** The error codes of OCI distribution 1.1. */
const codes =
  /^\{"errors":\[\{"code":"(?:BLOB_UNKNOWN|BLOB_UPLOAD_INVALID|BLOB_UPLOAD_UNKNOWN|DIGEST_INVALID|MANIFEST_BLOB_UNKNOWN|MANIFEST_INVALID|MANIFEST_UNKNOWN|NAME_INVALID|NAME_UNKNOWN|SIZE_INVALID|UNAUTHORIZED|DENIED|UNSUPPORTED|TOOMANYREQUESTS)",/

/** Returns what is wrong with an answer: nothing for a success, or for a refusal in the form of the specification. */
function faultIn(answer: string, method: string): string | undefined {
  const [head = '', ...rest] = answer.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '').split('\r\n\r\n')
  const body = rest.join('\r\n\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1])
  if (!(status >= 200 && status < 500)) return `the status is ${head.slice(0, 60)}`
  if (status < 400) return undefined
  // Bytes that are no request of HTTP never reach the registry.
  const isUnread =
    !/docker-distribution-api-version: registry\/2\.0/i.test(head) && [400, 414, 417, 431].includes(status)
  if (method === 'HEAD' || isUnread || codes.test(body)) return undefined
  return `the body of ${status} is ${body.slice(0, 100)}`
}

/** Sends a request as its bytes say, and returns what is wrong with the answer. */
async function sent(method: string, target: string, headers: readonly string[] = [], body = ''): Promise<string[]> {
  const hasToken = headers.some(line => line.startsWith('Authorization:'))
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'Host: registry.test',
    ...(hasToken ? [] : [`Authorization: Bearer ${token}`]),
    ...(body === '' && method !== 'POST' && method !== 'PUT' && method !== 'PATCH'
      ? []
      : [`Content-Length: ${body.length}`]),
    ...headers,
    ...(headers.some(line => line.startsWith('Connection:')) ? [] : ['Connection: close']),
  ]
  const bytes = Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1')
  const fault = faultIn(await rawExchange(registry().url, new Uint8Array(bytes)), method)
  return fault === undefined ? [] : [`${method} ${target.slice(0, 80)} ${headers.join(' ').slice(0, 80)}: ${fault}`]
}

async function faultsOf(requests: readonly Parameters<typeof sent>[]): Promise<readonly string[]> {
  const faults: string[] = []
  for (const request of requests) faults.push(...(await sent(...request)))
  return faults
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

describe('the plane answers a refusal of the specification, or a success, to', () => {
  it('every name of a repository', async () => {
    const paths = [
      '/manifests/v1',
      '/blobs/uploads/',
      `/blobs/${digestOf('first')}`,
      '/tags/list',
      `/referrers/${digestOf('x')}`,
    ]
    const requests = hostileNames.flatMap(each =>
      paths.flatMap((path, i) => [
        ['GET', `/v2/${each}${path}`] as const,
        [methods[i % methods.length] ?? 'GET', `/v2/${each}${path}`] as const,
      ]),
    )
    expect(await faultsOf(requests.map(([method, path]) => [method, path]))).toEqual([])
  })

  it('every reference', async () => {
    const requests = hostileReferences.flatMap(each =>
      ['GET', 'HEAD', 'PUT', 'DELETE'].flatMap(method => [
        [method, `/v2/${name}/manifests/${each}`] as const,
        [method, `/v2/${name}/blobs/${each}`] as const,
        [method, `/v2/${name}/blobs/uploads/${each}`] as const,
        [method, `/v2/${name}/referrers/${each}`] as const,
      ]),
    )
    expect(await faultsOf(requests.map(([method, path]) => [method, path]))).toEqual([])
  })

  it('every query', async () => {
    const requests = hostileQueries.flatMap(query => [
      ['GET', `/v2/${name}/tags/list${query}`] as const,
      ['GET', `/v2/_catalog${query}`] as const,
      ['GET', `/v2/_token${query}`] as const,
      ['GET', `/v2/${name}/referrers/${digest}${query}`] as const,
      ['GET', `${blob}${query}`] as const,
      ['POST', `/v2/${name}/blobs/uploads/${query}`] as const,
      ['PUT', `/v2/${name}/manifests/v1${query}`] as const,
    ])
    expect(await faultsOf(requests.map(([method, path]) => [method, path]))).toEqual([])
  })

  it('every header and token', async () => {
    const { oci } = registry()
    const begun = await oci.send(`/v2/${name}/blobs/uploads/`, { method: 'POST' })
    const upload = begun.headers.get('location') ?? ''
    const requests = [...hostileHeaders, ...hostileTokens.map(each => `Authorization: ${each}`)].flatMap(line => [
      ['GET', blob, [line]] as const,
      ['GET', `/v2/${name}/manifests/v1`, [line]] as const,
      ['GET', '/v2/_token', [line]] as const,
      ['PATCH', upload, [line], 'ab'] as const,
      ['PUT', `/v2/${name}/manifests/v1`, [line], '{}'] as const,
    ])
    expect(await faultsOf(requests.map(([method, path, lines, body]) => [method, path, lines, body]))).toEqual([])
  })

  it('bodies of another length than their header says', async () => {
    const { oci, url } = registry()
    const begun = await oci.send(`/v2/${name}/blobs/uploads/`, { method: 'POST' })
    const upload = begun.headers.get('location') ?? ''
    const head = (length: string) =>
      `PATCH ${upload} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n${length}\r\nConnection: close\r\n\r\n`
    for (const length of [
      'Content-Length: -1',
      'Content-Length: 1e3',
      'Content-Length: 1\r\nContent-Length: 2',
      'Transfer-Encoding: nothing',
      'Content-Length: 3\r\nTransfer-Encoding: chunked',
    ])
      expect(await rawExchange(url, `${head(length)}abc`)).toMatch(/^HTTP\/1\.1 4\d\d |^$/)
    expect((await oci.send(upload)).headers.get('range')).toBe('0-0')
    // The bytes beyond the length are another request, which is none; its refusal may come first.
    const answers = await rawExchange(url, `${head('Content-Length: 2')}ab!!!`)
    expect(answers).toMatch(/^HTTP\/1\.1 (?:202|400) /)
    expect((await oci.send(upload)).headers.get('range')).toMatch(/^0-[01]$/)
  })

  it.each(hostileManifests)('a manifest with $name', async ({ body, type }) => {
    const { oci } = registry()
    const call = { method: 'PUT', headers: { 'content-type': type }, body }
    const before = processCpuSeconds()
    const answer = await oci.send(`/v2/${name}/manifests/hostile`, call)
    expect(faultOf(answer)).toMatch(/^400 MANIFEST_INVALID$|^404 MANIFEST_BLOB_UNKNOWN$|^413 SIZE_INVALID/)
    expect(processCpuSeconds() - before).toBeLessThan(20)
    expect(faultOf(await oci.send(`/v2/${name}/manifests/hostile`))).toBe('404 MANIFEST_UNKNOWN')
  })
})

it('the doctor finds nothing after all of it, and the registry serves what it had', async () => {
  const { oci, place } = registry()
  expect(new TextDecoder().decode((await oci.send(blob)).bytes)).toBe('first')
  expect((await oci.send(`/v2/${name}/manifests/${digest}`)).status).toBe(200)
  expect(await doctorFindings(place)).toEqual([])
})
