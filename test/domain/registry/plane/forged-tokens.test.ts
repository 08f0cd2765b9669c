import { createHmac, generateKeyPairSync, sign, X509Certificate, type KeyObject } from 'node:crypto'
import { decodeProtectedHeader } from 'jose'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { OciClient, toldBy } from '../oci-client.ts'
import { servedRegistry } from '../served-registry.ts'
import { sharedRegistry } from './shared-registry.ts'

const registry = sharedRegistry()
const scope = 'repository:acme/web/first:pull,push,delete'

let token: string

beforeAll(async () => {
  token = await registry().oci.token(scope)
})

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

const partsOf = (jwt: string) => {
  const [header = '', payload = '', signature = ''] = jwt.split('.')
  const decoded = (text: string): Record<string, unknown> => JSON.parse(Buffer.from(text, 'base64url').toString())
  return { header: decoded(header), payload: decoded(payload), signature }
}

/** Returns a JWT with a header and payload, signed with a key of P-256. */
function signed(header: object, payload: object, key: KeyObject): string {
  const text = `${encoded(header)}.${encoded(payload)}`
  return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}

const { privateKey: ownKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

const x5cOf = (jwt: string): string => decodeProtectedHeader(jwt).x5c?.[0] ?? ''

/** Makes each forgery of a valid token. */
const forgeries: readonly (readonly [name: string, forge: () => string | Promise<string>])[] = [
  [
    'without a signature, of alg none',
    () => `${encoded({ ...partsOf(token).header, alg: 'none' })}.${token.split('.')[1]}.`,
  ],
  [
    'signed by HS256 with the public key as the secret',
    () => {
      const { header, payload } = partsOf(token)
      const { publicKey } = new X509Certificate(Buffer.from(x5cOf(token), 'base64'))
      const text = `${encoded({ ...header, alg: 'HS256' })}.${encoded(payload)}`
      const secret = publicKey.export({ format: 'pem', type: 'spki' })
      return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
    },
  ],
  [
    'signed by another key under the id of the key',
    () => signed(partsOf(token).header, partsOf(token).payload, ownKey),
  ],
  [
    'signed by a key of an unknown id',
    () => signed({ ...partsOf(token).header, kid: 'unknown' }, partsOf(token).payload, ownKey),
  ],
  [
    'signed by a key without an id',
    () => {
      const { kid: _kid, ...header } = partsOf(token).header
      return signed(header, partsOf(token).payload, ownKey)
    },
  ],
  [
    'signed by a key that the header itself carries',
    () => {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const { x5c: _x5c, kid: _kid, ...header } = partsOf(token).header
      return signed({ ...header, jwk: publicKey.export({ format: 'jwk' }) }, partsOf(token).payload, privateKey)
    },
  ],
  [
    'with other actions than were signed',
    () => {
      const { header, payload, signature } = partsOf(token)
      return `${encoded(header)}.${encoded({ ...payload, access: [] })}.${signature}`
    },
  ],
  [
    'with a longer lifetime than was signed',
    () => {
      const { header, payload, signature } = partsOf(token)
      return `${encoded(header)}.${encoded({ ...payload, exp: 4_000_000_000 })}.${signature}`
    },
  ],
  [
    'of another kind',
    () => {
      const { header, payload, signature } = partsOf(token)
      return `${encoded({ ...header, typ: 'at+jwt' })}.${encoded(payload)}.${signature}`
    },
  ],
  ['of the platform instead of the registry', () => registry().accessToken],
  [
    'that is the password of the credentials',
    async () => {
      const { api, workspace } = registry()
      return (await api.registry.getCredentials({ workspace, engine: 'native' })).password
    },
  ],
  [
    'of another platform',
    async () => {
      const other = await servedRegistry(onTestFinished)
      return other.oci.token(scope)
    },
  ],
  ['longer than any token', () => `${token}${'a'.repeat(20_000)}`],
  [
    'with bytes that are no text',
    () => `${Buffer.from([0xff, 0xfe, 0]).toString('base64url')}.${token.split('.')[1]}.x`,
  ],
  ['of one part', () => token.split('.')[0] ?? ''],
  ['of four parts', () => `${token}.x`],
]

const calls: readonly (readonly [method: string, path: string])[] = [
  ['GET', '/v2/acme/web/first/manifests/v1'],
  ['GET', `/v2/acme/web/first/blobs/sha256:${'0'.repeat(64)}`],
  ['POST', '/v2/acme/web/first/blobs/uploads/'],
  ['DELETE', '/v2/acme/web/first/manifests/v1'],
  ['GET', '/v2/_catalog'],
]

describe('a token', () => {
  it('that is valid is known by all calls of the forgeries', async () => {
    for (const [method, path] of calls)
      expect([200, 202, 404]).toContain((await registry().oci.send(path, { method, token })).status)
  })

  it.each(forgeries)('%s is refused as every other text is', async (_, forge) => {
    const client = new OciClient(registry().url)
    const forged = await forge()
    for (const [method, path] of calls) {
      const answer = await client.send(path, { method, token: forged })
      expect(answer.status).toBe(401)
      expect(toldBy(answer)).toEqual(toldBy(await client.send(path, { method, token: 'x' })))
    }
  })
})

describe('a password', () => {
  it.each(forgeries.filter(([name]) => !name.includes('the credentials') && !name.includes('instead of')))(
    '%s is refused',
    async (_, forge) => {
      const { url } = registry()
      const authorization = `Basic ${btoa(`token:${await forge()}`)}`
      expect((await fetch(`${url}/v2/_token`, { headers: { authorization } })).status).toBe(401)
    },
  )
})
