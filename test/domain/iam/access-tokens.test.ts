import { createHmac, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SigningKeys } from '../../../domain/iam/sessions/signing-keys.ts'
import { AccessTokens } from '../../../domain/iam/sessions/access-tokens.ts'
import { signingKeys } from '../../../domain/iam/collections/signing-keys-store.ts'
import { addUser, tokenPlatform, type TokenPlatform } from './token-platform.ts'
import { baseUrl } from './iam-environment.ts'
import { outcomeOf } from '../outcomes.ts'

const password = 'correct horse battery'
const hourMs = 3_600_000

async function signedIn() {
  const server = await tokenPlatform()
  const user = await addUser(server, 'kim@example.test', password)
  const { access_token, token_id } = await server.signIn('kim@example.test', password)
  return { server, user, token: access_token, session: token_id }
}

const encoded = (value: object | string): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

const decoded = (token: string, part: number): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[part] ?? '', 'base64url').toString())

/** Returns a token that no server would issue, signed with a key whose public half the server knows. */
function forge(privateKey: KeyObject, header: object, claims: object | string): string {
  const text = `${encoded(header)}.${encoded(claims)}`
  return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`
}

/** Adds a key pair to the signing keys of the store, as another server would; returns the pair and its id. */
async function addPair({ store, parts }: TokenPlatform, not_after = '2027-01-01T00:00:00.000Z') {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const { x = '' } = publicKey.export({ format: 'jwk' })
  const kid = parts.clock.newId()
  await store.tx(tx => tx.insert(signingKeys, { id: kid, jwk: { kty: 'OKP', crv: 'Ed25519', x }, not_after }))
  return { kid, privateKey, publicKey }
}

describe('access tokens', () => {
  it('name the caller and the session, and no permissions', async () => {
    const { server, session, token, user } = await signedIn()
    expect(await server.authenticator.authenticate(`Bearer ${token}`)).toEqual({
      id: user,
      kind: 'user',
      sessionId: session,
    })
    const seconds = server.time.now / 1000
    expect(decoded(token, 0)).toEqual({ alg: 'EdDSA', typ: 'at+jwt', kid: expect.any(String) })
    expect(decoded(token, 1)).toEqual({
      iss: baseUrl,
      aud: 'ninefold',
      sub: user,
      sid: session,
      kind: 'USER',
      iat: seconds,
      exp: seconds + 900,
      jti: expect.any(String),
    })
  })

  it('expire after 900 seconds, to the millisecond, even when they are cached', async () => {
    const { server, token } = await signedIn()
    server.time.now += 899_999
    expect(await server.admission(token)).toBe('OK')
    server.time.now += 1
    expect(await server.admission(token)).toBe('TOKEN_EXPIRED')
    server.time.now -= 900_000
    const { access_token } = await server.signIn('kim@example.test', password)
    server.time.now += 900_000
    expect(await server.admission(access_token)).toBe('TOKEN_EXPIRED')
  })

  it('may come from a clock that is at most 30 seconds ahead', async () => {
    const { server, token } = await signedIn()
    server.time.now -= 30_000
    expect(await server.admission(token)).toBe('OK')
    const { access_token } = await server.signIn('kim@example.test', password)
    server.time.now -= 31_000
    expect(await server.admission(access_token)).toBe('TOKEN_INVALID')
  })

  it.each([
    [undefined, 'TOKEN_MISSING'],
    ['', 'TOKEN_INVALID'],
    ['Bearer', 'TOKEN_INVALID'],
    ['Bearer ', 'TOKEN_INVALID'],
    ['Bearer a b', 'TOKEN_INVALID'],
    ['Basic a2ltOnB3', 'TOKEN_INVALID'],
    ['Bearer not.a.token', 'TOKEN_INVALID'],
  ])('refuse the header %j with %s', async (header, reason) => {
    const { authenticator } = await tokenPlatform()
    expect(await outcomeOf(authenticator.authenticate(header))).toBe(reason)
  })

  it('are accepted whatever the case of the scheme', async () => {
    const { server, token } = await signedIn()
    expect(await outcomeOf(server.authenticator.authenticate(`bearer  ${token}`))).toBe('OK')
  })

  it('of an inactive principal are refused, immediately and again', async () => {
    const { server, token, user } = await signedIn()
    expect(await server.admission(token)).toBe('OK')
    server.inactive.add(user)
    expect(await server.admission(token)).toBe('TOKEN_REVOKED')
    server.inactive.delete(user)
    expect(await server.admission(token)).toBe('OK')
  })
})

describe('a forged token', () => {
  it('is refused whatever its header claims, despite a valid signature', async () => {
    const { server, token } = await signedIn()
    const { kid, privateKey, publicKey } = await addPair(server)
    const claims = decoded(token, 1)
    const good = { alg: 'EdDSA', typ: 'at+jwt', kid }
    expect(await server.admission(forge(privateKey, good, claims))).toBe('OK')
    const jwk = publicKey.export({ format: 'jwk' })
    const headers: readonly object[] = [
      { ...good, alg: 'none' },
      { ...good, alg: 'None' },
      { ...good, alg: 'HS256' },
      { ...good, alg: 'ES256' },
      { ...good, alg: 'RS256' },
      { ...good, alg: 'Ed25519' },
      { ...good, alg: 'eddsa' },
      { ...good, alg: ['EdDSA'] },
      { ...good, alg: undefined },
      { ...good, typ: 'JWT' },
      { ...good, typ: 'AT+JWT' },
      { ...good, typ: 'application/at+jwt' },
      { ...good, typ: undefined },
      { ...good, crit: ['exp'], exp: 1 },
      { ...good, crit: ['b64'], b64: true },
      { ...good, crit: ['b64'], b64: false },
      { ...good, crit: [] },
      { ...good, kid: undefined },
      { ...good, kid: '' },
      { ...good, kid: 1 },
      { ...good, kid: [kid] },
      { ...good, kid: '__proto__' },
      { ...good, kid: `../${kid}` },
      { ...good, kid: `${kid}'--` },
      { ...good, kid: kid.toUpperCase() },
      { ...good, kid: undefined, jwk },
      { ...good, kid: undefined, jku: 'https://evil.test/jwks.json' },
    ]
    const refused = await Promise.all(headers.map(header => server.admission(forge(privateKey, header, claims))))
    expect(refused).toEqual(headers.map(() => 'TOKEN_INVALID'))
  })

  it('is refused whatever its claims are, despite a valid signature', async () => {
    const { server, token } = await signedIn()
    const { kid, privateKey } = await addPair(server)
    const claims = decoded(token, 1)
    const now = server.time.now / 1000
    const header = { alg: 'EdDSA', typ: 'at+jwt', kid }
    const faulty: readonly (object | string)[] = [
      { ...claims, iss: 'https://evil.test' },
      { ...claims, iss: [baseUrl] },
      { ...claims, iss: undefined },
      { ...claims, aud: 'other' },
      { ...claims, aud: [] },
      { ...claims, aud: undefined },
      { ...claims, sub: undefined },
      { ...claims, sub: '' },
      { ...claims, sub: { id: 1 } },
      { ...claims, sid: undefined },
      { ...claims, sid: 'x' },
      { ...claims, kind: 'SYSTEM' },
      { ...claims, kind: undefined },
      { ...claims, jti: undefined },
      { ...claims, exp: undefined },
      { ...claims, exp: String(now + 900) },
      { ...claims, exp: now + 901 },
      { ...claims, exp: 1e300 },
      { ...claims, iat: undefined },
      { ...claims, iat: now + 31, exp: now + 931 },
      { ...claims, nbf: now + 60 },
      [claims],
      'null',
      '{"a":',
      '',
    ]
    const refused = await Promise.all(faulty.map(each => server.admission(forge(privateKey, header, each))))
    expect(refused).toEqual(faulty.map(() => 'TOKEN_INVALID'))
    expect(await server.admission(forge(privateKey, header, { ...claims, iat: now - 900, exp: now }))).toBe(
      'TOKEN_EXPIRED',
    )
  })

  it('is refused if its signature is an HMAC with the public key as secret, or is missing', async () => {
    const { server, token } = await signedIn()
    const { keys } = await server.keys.jwks()
    const [key] = keys
    const header = decoded(token, 0)
    const text = (alg: string) => `${encoded({ ...header, alg })}.${token.split('.')[1]}`
    const pem = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key?.x ?? '' }, format: 'jwk' })
    const secrets = [
      pem.export({ type: 'spki', format: 'pem' }).toString(),
      pem.export({ type: 'spki', format: 'der' }),
      Buffer.from(key?.x ?? '', 'base64url'),
      key?.x ?? '',
      JSON.stringify(key),
    ]
    for (const secret of secrets) {
      for (const hash of ['sha256', 'sha512']) {
        const tag = createHmac(hash, secret).update(text('HS256')).digest('base64url')
        expect(await server.admission(`${text('HS256')}.${tag}`)).toBe('TOKEN_INVALID')
        const wide = Buffer.concat([Buffer.from(tag, 'base64url'), Buffer.alloc(64)]).subarray(0, 64)
        expect(await server.admission(`${text('HS256')}.${wide.toString('base64url')}`)).toBe('TOKEN_INVALID')
      }
    }
    for (const alg of ['none', 'NONE', '']) {
      expect(await server.admission(`${text(alg)}.`)).toBe('TOKEN_INVALID')
      expect(await server.admission(`${text(alg)}.${token.split('.')[2]}`)).toBe('TOKEN_INVALID')
    }
  })

  it('is refused if another key has signed it, or if it is an assertion or a refresh token', async () => {
    const { server, token } = await signedIn()
    const [first, second] = [await addPair(server), await addPair(server)]
    const header = { alg: 'EdDSA', typ: 'at+jwt', kid: first.kid }
    expect(await server.admission(forge(second.privateKey, header, decoded(token, 1)))).toBe('TOKEN_INVALID')
    const { refresh_token } = await server.signIn('kim@example.test', password)
    expect(await server.admission(refresh_token ?? '')).toBe('TOKEN_INVALID')
  })

  it('is refused if it is any other text', async () => {
    const server = await tokenPlatform()
    const segment = fc.base64String({ maxLength: 40 })
    const texts = fc.oneof(
      fc.string(),
      fc.tuple(segment, segment, segment).map(parts => parts.join('.')),
    )
    await fc.assert(
      fc.asyncProperty(texts, async text => {
        expect(await server.admission(text)).toBe('TOKEN_INVALID')
      }),
    )
  })
})

describe('signing keys', () => {
  it('of another server are found when a token names them, and survive the restart of their server', async () => {
    const { server, token } = await signedIn()
    const restarted = new AccessTokens(new SigningKeys(server.parts), { baseUrl })
    expect(await restarted.verify(token, server.time.now)).toMatchObject({ kind: 'USER' })
  })

  it('are read again for unknown keys by all requests together, at most once a second', async () => {
    let reads = 0
    const server = await tokenPlatform({
      wrap: store =>
        new Proxy(store, {
          get(target, name) {
            if (name === 'each') reads += 1
            const member: unknown = Reflect.get(target, name)
            return typeof member === 'function' ? member.bind(target) : member
          },
        }),
    })
    const { token } = await signedIn()
    const unknown = () =>
      forge(
        generateKeyPairSync('ed25519').privateKey,
        { ...decoded(token, 0), kid: server.parts.clock.newId() },
        decoded(token, 1),
      )
    const started = performance.now()
    const first = await Promise.all(Array.from({ length: 50 }, () => server.admission(unknown())))
    const second = await Promise.all(Array.from({ length: 50 }, () => server.admission(unknown())))
    expect([...first, ...second].every(reason => reason === 'TOKEN_INVALID')).toBe(true)
    expect(reads).toBe(2)
    expect(performance.now() - started).toBeGreaterThan(990)
  })

  it('that were written during a read of the table are found by the next request', async () => {
    const { server, token } = await signedIn()
    const missed = server.admission(`${token.slice(0, -4)}AAAA`)
    const { kid, privateKey } = await addPair(server)
    const answers = [server.admission(forge(privateKey, { alg: 'EdDSA', typ: 'at+jwt', kid }, decoded(token, 1)))]
    const late = await addPair(server)
    answers.push(
      server.admission(forge(late.privateKey, { alg: 'EdDSA', typ: 'at+jwt', kid: late.kid }, decoded(token, 1))),
    )
    expect(await missed).toBe('TOKEN_INVALID')
    expect(await Promise.all(answers)).toEqual(['OK', 'OK'])
  })

  it('change every 24 hours, and are published until the last token of the old key has expired', async () => {
    const { server, token } = await signedIn()
    const [first] = (await server.keys.jwks()).keys
    expect(first).toEqual({
      kty: 'OKP',
      crv: 'Ed25519',
      x: expect.any(String),
      kid: decoded(token, 0)['kid'],
      alg: 'EdDSA',
      use: 'sig',
    })
    server.time.now += 24 * hourMs - 1
    const late = (await server.signIn('kim@example.test', password)).access_token
    expect(decoded(late, 0)['kid']).toBe(first?.kid)
    server.time.now += 1
    const fresh = (await server.signIn('kim@example.test', password)).access_token
    expect(decoded(fresh, 0)['kid']).not.toBe(first?.kid)
    expect(await Promise.all([late, fresh].map(each => server.admission(each)))).toEqual(['OK', 'OK'])
    expect((await server.keys.jwks()).keys).toHaveLength(2)
    server.time.now += 900_000
    const restarted = new AccessTokens(new SigningKeys(server.parts), { baseUrl })
    expect(await outcomeOf(restarted.verify(late, server.time.now))).toBe('TOKEN_EXPIRED')
    server.time.now += 60_001
    expect((await server.keys.jwks()).keys.map(({ kid }) => kid)).toEqual([decoded(fresh, 0)['kid']])
  })

  it('have no private half in the store', async () => {
    const { server } = await signedIn()
    for await (const { text } of server.store.each(signingKeys)) expect(text.text).not.toMatch(/"d"|PRIVATE/)
  })
})
