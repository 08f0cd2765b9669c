import { describe, expect, it } from 'vitest'
import { encodeQuery, objectPath } from '../../../../../domain/storage/objects/object-path.ts'
import { verify } from '../../../../../domain/storage/plane/verify.ts'
import { signUrl } from '../../../../../domain/storage/presigned/sign-url.ts'
import { signingKeyCollection, SigningKeys } from '../../../../../domain/storage/presigned/signing-keys.ts'
import { signQuery } from '../../../../../domain/storage/presigned/url-signature.ts'
import { testStore } from '../../../../server/store/harness.ts'
import { keyringOf } from '../../../vault/keyrings.ts'
import { requestOf, type RawRequest } from '../raw-request.ts'

const bucket = '01900000-0000-7000-8000-000000000001'
const second = 1000
const day = 86_400 * second
const start = Date.parse('2026-03-01T12:00:00Z')

/** Returns keys of a vault, and functions that sign a download and check it at a time. */
async function signing() {
  const keyring = await (await keyringOf()).open()
  const vault = {
    get isSealed() {
      return keyring.isSealed
    },
    wrap: (purpose: string, bytes: Uint8Array) => keyring.wrapPlatform(purpose, bytes),
    unwrap: (purpose: string, text: string) => keyring.unwrapPlatform(purpose, text),
  }
  const store = await testStore(signingKeyCollection)
  const opened = () => new SigningKeys({ store, vault: () => vault })
  const keys = opened()
  const sign = async (now: number, expiresSeconds: number): Promise<RawRequest> =>
    requestOf(
      await signUrl(
        { dataBaseUrl: () => 'http://platform.test', keys },
        {
          method: 'GET',
          engine: 'native',
          bucket,
          object: 'a',
          principal: 'p',
          query: {},
          headers: {},
          expiresSeconds,
          now,
        },
      ),
    )
  return { keyring, keys, opened, sign, store }
}

/** Returns the reason with which a request is refused at a time; undefined if it is accepted. */
async function refusal(keys: SigningKeys, request: RawRequest, now: number): Promise<string | undefined> {
  const { headers, method, path, query } = request
  const target = `${path}?${query.map(part => part.join('=')).join('&')}`
  const sent = { method, target, headers, body: undefined, signal: new AbortController().signal, clientAddress: '' }
  const caught: unknown = await verify(keys, sent, now).then(
    () => undefined,
    (error: unknown) => error,
  )
  if (caught === undefined) return undefined
  return caught instanceof Error && 'reason' in caught ? `${String(caught.reason)}: ${caught.message}` : String(caught)
}

describe('a presigned URL', () => {
  it.each([1, 900, 604_800])('works for %d s, and not a millisecond longer', async seconds => {
    const { keys, sign } = await signing()
    const request = await sign(start, seconds)
    expect(await refusal(keys, request, start)).toBeUndefined()
    expect(await refusal(keys, request, start + seconds * second - 1)).toBeUndefined()
    expect(await refusal(keys, request, start + seconds * second)).toMatch(/^PRESIGNED_URL_EXPIRED: .*ask for another/)
  })

  it('is accepted by a server whose clock is up to 15 minutes behind', async () => {
    const { keys, sign } = await signing()
    const request = await sign(start, 900)
    expect(await refusal(keys, request, start - 15 * 60 * second)).toBeUndefined()
    expect(await refusal(keys, request, start - 15 * 60 * second - 1)).toMatch(/^SIGNATURE_INVALID: .*in the future/)
  })

  it.each(['0', '604801', '-1', '1e3', '+900', ' 900', '900.0', '0900', '0x10', 'NaN', '9'.repeat(400), ''])(
    'with the time to live %j is refused as malformed',
    async text => {
      const { keys, sign } = await signing()
      const request = await sign(start, 900)
      const query = request.query.map(
        ([name, value]) => [name, name === 'X-Amz-Expires' ? encodeURIComponent(text) : value] as const,
      )
      expect(await refusal(keys, { ...request, query }, start)).toMatch(/^SIGNATURE_INVALID: .*time to live/)
    },
  )

  it.each(['today', '20260230T120000Z', '20261301T000000Z', '20260301T250000Z', '20260301T120000', '', '９'])(
    'with the date %j is refused',
    async text => {
      const { keys, sign } = await signing()
      const request = await sign(start, 900)
      const query = request.query.map(
        ([name, value]) => [name, name === 'X-Amz-Date' ? encodeURIComponent(text) : value] as const,
      )
      expect(await refusal(keys, { ...request, query }, start)).toMatch(/^SIGNATURE_INVALID: /)
    },
  )

  it('of a rotated key works for its time to live, on every server of the store', async () => {
    const { keys, opened, sign, store } = await signing()
    await sign(start, 1)
    const last = start + 30 * day - second
    const request = await sign(last, 604_800)
    const rotated = await sign(start + 30 * day, 900)
    expect(await store.count(signingKeyCollection)).toBe(2)
    const almost = last + 604_800 * second - 1
    for (const server of [keys, opened()]) {
      expect(await refusal(server, request, almost)).toBeUndefined()
      expect(await refusal(server, rotated, start + 30 * day)).toBeUndefined()
    }
    await keys.dropExpired(almost)
    expect(await refusal(opened(), request, almost)).toBeUndefined()
    await keys.dropExpired(start + 38 * day)
    expect(await store.count(signingKeyCollection)).toBe(1)
    for (const server of [keys, opened()])
      expect(await refusal(server, request, almost)).toMatch(/^SIGNATURE_INVALID: .*no longer uses/)
  })

  it('of a key that is not deleted yet, but too old, is refused', async () => {
    const { keys, opened, sign } = await signing()
    const request = await sign(start, 604_800)
    for (const server of [keys, opened()])
      expect(await refusal(server, request, start + 38 * day)).toMatch(/^SIGNATURE_INVALID: .*no longer uses/)
  })

  it('is accepted by a server with a sealed vault that knows the key, and waits for the seal of others', async () => {
    const { keyring, keys, opened, sign } = await signing()
    const request = await sign(start, 900)
    keyring.seal('a test')
    expect(await refusal(keys, request, start)).toBeUndefined()
    expect(await refusal(opened(), request, start)).toMatch(/^ENGINE_UNAVAILABLE: .*sealed/)
    await expect(sign(start + 31 * day, 900)).rejects.toMatchObject({ reason: 'ENGINE_UNAVAILABLE' })
  })
})

describe('a request with the signature of an SDK', () => {
  const path = objectPath(bucket, 'a')
  const key = { id: 'AKIAIOSFODNN7EXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' }

  it('in its URL is refused, and the message names the call that signs URLs', async () => {
    const { keys } = await signing()
    for (const more of [{}, { 'x-id': 'GetObject' }, { 'X-Amz-Security-Token': 'token' }]) {
      const query = await signQuery(
        { method: 'GET', host: 'platform.test', path, query: more, headers: {} },
        { key, engine: 'us-east-1', signedMs: start, expiresSeconds: 900 },
      )
      const parts = encodeQuery(query).split('&')
      const request = {
        method: 'GET',
        path,
        query: parts.map(part => [part.split('=')[0] ?? '', part.split('=')[1] ?? ''] as const),
        headers: { host: 'platform.test' },
      }
      expect(await refusal(keys, request, start)).toMatch(
        /^SIGNATURE_INVALID: .*has not issued the key AKIAIOSFODNN7EXAMPLE.*createPresignedDownloadUrl/,
      )
    }
  })

  it('in its headers is refused, and the message says where the signature belongs', async () => {
    const { keys } = await signing()
    const scope = `${key.id}/20260301/us-east-1/s3/aws4_request`
    for (const query of [[], [['x-id', 'GetObject']], [['list-type', '2']]] as const) {
      const headers = {
        host: 'platform.test',
        'x-amz-date': '20260301T120000Z',
        'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
        authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host;x-amz-date, Signature=${'0'.repeat(64)}`,
      }
      expect(await refusal(keys, { method: 'GET', path, query, headers }, start)).toMatch(
        /^SIGNATURE_INVALID: .*signatures in the URL, and none in the header Authorization.*createPresignedDownloadUrl/,
      )
    }
  })

  it('without any signature is refused with the name of the first absent parameter', async () => {
    const { keys } = await signing()
    const request = { method: 'GET', path, query: [], headers: { host: 'platform.test' } }
    expect(await refusal(keys, request, start)).toMatch(/^SIGNATURE_INVALID: .*no parameter X-Amz-Algorithm/)
  })
})
