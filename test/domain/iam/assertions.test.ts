import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { SignJWT } from 'jose'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { accountKeys, spentAssertions } from '../../../domain/iam/collections/account-keys-store.ts'
import {
  addAccountKey,
  createServiceAccount,
  removeAccountKey,
  type AddedKey,
} from '../../../domain/iam/service-accounts/account-keys.ts'
import { checkAssertion } from '../../../domain/iam/sessions/assertions.ts'
import { serviceAccounts } from '../../../domain/iam/collections/service-accounts-store.ts'
import { tokens } from '../../../domain/iam/collections/tokens-store.ts'
import { platformWorkspaceId, systemPrincipalId } from '../../../domain/ports/reserved.ts'
import type { NodeState } from '../../../domain/ports/taxonomy.ts'
import { workspaces } from '../../../domain/taxonomy/tree/nodes.ts'
import { testPlace } from '../../server/store/harness.ts'
import { addAccount, tokenPlatform, type TokenPlatform } from './token-platform.ts'
import { baseUrl } from './iam-environment.ts'
import { callContext } from './calls.ts'
import { outcomeOf, valueOf } from '../outcomes.ts'

const audience = `${baseUrl}/iam/v1/tokens:refresh`

/** Key pairs, keyed by the algorithms that a service account may register. */
/** Returns the RSA key of `pairs` with another exponent, in base64url. */
const withExponent = (e: string): KeyObject =>
  createPublicKey({ key: { ...pairs.RS256.publicKey.export({ format: 'jwk' }), e }, format: 'jwk' })

const pairs = {
  EdDSA: generateKeyPairSync('ed25519'),
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
} as const

const pem = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString()

type Algorithm = keyof typeof pairs

async function withKey(alg: Algorithm = 'EdDSA', given: Partial<AddedKey> = {}, options = {}) {
  const server = await tokenPlatform(options)
  const account = await addAccount(server)
  const kid = await addAccountKey(server.parts, account, { publicKey: pem(pairs[alg].publicKey), ...given })
  return { server, account, kid, privateKey: pairs[alg].privateKey, alg }
}

type Signer = Awaited<ReturnType<typeof withKey>>

let ids = 0

/**
 * Returns a signed assertion that is valid except for the given claims and header members; undefined members are left
 * out.
 */
function assertion({ account, alg, kid, privateKey, server }: Signer, claims: object = {}, header: object = {}) {
  const iat = Math.floor(server.time.now / 1000)
  const all = { iss: account, sub: account, aud: audience, iat, exp: iat + 300, jti: `id-${(ids += 1)}`, ...claims }
  return new SignJWT(all).setProtectedHeader({ alg, kid, ...header }).sign(privateKey)
}

const exchange = ({ time, tokens: handlers }: TokenPlatform, text: string) =>
  valueOf(handlers.refreshToken({ body: { assertion: text } }, callContext(time.now)))

const turn = ({ store }: TokenPlatform, state: NodeState) =>
  store.tx(async tx => {
    const row = await tx.lock(workspaces, platformWorkspaceId)
    const next = row && { ...row.value, state: `TAXONOMY_LIFECYCLE_STATE_${state}` as const }
    if (next) await tx.update(workspaces, next.id, next, row.version)
  })

describe('an assertion', () => {
  it.each(['EdDSA', 'ES256', 'RS256'] as const)(
    'signed with %s gets an access token and no refresh token',
    async alg => {
      const signer = await withKey(alg)
      const { account, server } = signer
      const answer = await exchange(server, await assertion(signer))
      expect(answer).toEqual({
        access_token: expect.any(String),
        token_type: 'Bearer',
        expires_in: 900,
        token_id: expect.any(String),
        principal_id: account,
      })
      const principal = await server.authenticator.authenticate(`Bearer ${answer.access_token}`)
      expect(principal).toEqual({ id: account, kind: 'service_account', sessionId: answer.token_id })
      const stored = (await server.store.get(serviceAccounts, account))?.value
      expect(stored?.last_authenticate_time).toBe('2026-05-01T12:00:00.000Z')
    },
  )

  it('starts one token family for account and key, which later assertions use until its revocation', async () => {
    const signer = await withKey()
    const { account, server } = signer
    const first = await exchange(server, await assertion(signer))
    server.time.now += 60_000
    const second = await exchange(server, await assertion(signer))
    server.time.now += 3_600_000
    const third = await exchange(server, await assertion(signer))
    expect([second.token_id, third.token_id]).toEqual([first.token_id, first.token_id])
    const caller = { id: account, kind: 'service_account' } as const
    expect(await server.list({}, caller)).toEqual([
      {
        id: first.token_id,
        principal_id: account,
        principal_kind: 'SERVICE_ACCOUNT',
        kind: 'SERVICE_ACCOUNT',
        status: 'ACTIVE',
        created: '2026-05-01T12:00:00.000Z',
        last_refresh_time: '2026-05-01T13:01:00.000Z',
        last_refresh_ip: '192.0.2.1',
        user_agent: 'test/1',
        expire_time: '2026-05-01T13:16:00.000Z',
        current: false,
      },
    ])
    const context = callContext(server.time.now, { principal: caller })
    await valueOf(server.tokens.revokeToken({ body: { token: third.access_token } }, context))
    expect(await server.admission(third.access_token)).toBe('TOKEN_REVOKED')
    const fourth = await exchange(server, await assertion(signer))
    expect(fourth.token_id).not.toBe(first.token_id)
    expect(await server.admission(fourth.access_token)).toBe('OK')
    const signIns = (await server.activities()).filter(({ category }) => category === 'AUTHENTICATION')
    expect(signIns.map(({ principal_id, resource_id }) => [principal_id, resource_id])).toEqual([
      [account, first.token_id],
      [account, fourth.token_id],
    ])
  })

  it('can be used once, even by concurrent calls to two servers', async () => {
    const place = await testPlace()
    const signer = await withKey('EdDSA', {}, { place })
    const other = await tokenPlatform({ place })
    for (let round = 0; round < 5; round += 1) {
      const text = await assertion(signer)
      const reasons = await Promise.all(
        [signer.server, other, signer.server, other].map(each => outcomeOf(exchange(each, text))),
      )
      expect(reasons.sort()).toEqual(['ASSERTION_INVALID', 'ASSERTION_INVALID', 'ASSERTION_INVALID', 'OK'])
    }
    expect(await signer.server.store.count(tokens)).toBe(1)
    expect(await signer.server.store.count(spentAssertions)).toBe(5)
  })

  it('is refused with the same response for every fault', async () => {
    const signer = await withKey()
    const { account, server } = signer
    const second = Math.floor(server.time.now / 1000)
    const other = server.parts.clock.newId()
    const claims: readonly object[] = [
      { iss: other },
      { sub: other },
      { iss: other, sub: other },
      { iss: undefined },
      { sub: undefined },
      { aud: baseUrl },
      { aud: 'ninefold' },
      { aud: undefined },
      { aud: [audience, 'https://registry.test'] },
      { exp: second },
      { exp: second + 301 },
      { exp: undefined },
      { iat: undefined },
      { iat: second + 31, exp: second + 200 },
      { iat: second - 1, exp: second + 300 },
      { nbf: second + 10 },
      { jti: undefined },
      { jti: '' },
      { jti: 1 },
      { jti: 'x'.repeat(257) },
    ]
    const headers: readonly object[] = [{ kid: undefined }, { kid: other }, { kid: account }, { kid: '__proto__' }]
    const texts = await Promise.all([
      ...claims.map(each => assertion(signer, each)),
      ...headers.map(each => assertion(signer, {}, each)),
      assertion({ ...signer, privateKey: pairs.ES256.privateKey, alg: 'ES256' }),
      assertion({ ...signer, privateKey: generateKeyPairSync('ed25519').privateKey }),
      new SignJWT({ iss: account, sub: account, aud: audience, iat: second, exp: second + 300, jti: 'h' })
        .setProtectedHeader({ alg: 'HS256', kid: signer.kid })
        .sign(Buffer.from(pem(pairs.EdDSA.publicKey))),
    ])
    const good = await assertion(signer)
    const [head = '', body = ''] = good.split('.')
    const none = Buffer.from(JSON.stringify({ alg: 'none', kid: signer.kid })).toString('base64url')
    texts.push('', 'x', '..', `${none}.${body}.`, `${head}.${body}.`, `${head}..`)
    for (const text of texts) expect(await outcomeOf(exchange(server, text))).toBe('ASSERTION_INVALID')
    expect(await server.store.count(spentAssertions)).toBe(0)
    expect(await outcomeOf(exchange(server, good))).toBe('OK')
  })

  it.each(['EdDSA', 'ES256', 'RS256'] as const)('of %s is refused if any of its bits are flipped', async alg => {
    const signer = await withKey(alg)
    const text = await assertion(signer)
    const flip = fc.tuple(fc.nat({ max: text.length - 1 }), fc.integer({ min: 1, max: 127 }))
    await fc.assert(
      fc.asyncProperty(flip, async ([at, bits]) => {
        const flipped = text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ bits) + text.slice(at + 1)
        expect(await outcomeOf(exchange(signer.server, flipped))).toBe('ASSERTION_INVALID')
      }),
      { numRuns: 200 },
    )
    for (const unit of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=') {
      const changed = text.slice(0, -1) + unit
      if (changed === text) continue
      expect(await outcomeOf(exchange(signer.server, changed))).toBe('ASSERTION_INVALID')
    }
    expect(await outcomeOf(exchange(signer.server, text))).toBe('OK')
  })

  it('is not an access token, and an access token is not an assertion', async () => {
    const signer = await withKey()
    const { access_token } = await exchange(signer.server, await assertion(signer))
    expect(await outcomeOf(exchange(signer.server, access_token))).toBe('ASSERTION_INVALID')
    expect(await signer.server.admission(await assertion(signer))).toBe('TOKEN_INVALID')
  })

  it('is refused while the home workspace or the account is not ACTIVE', async () => {
    const signer = await withKey()
    const { account, server } = signer
    await turn(server, 'SUSPENDED')
    const text = await assertion(signer)
    expect(await outcomeOf(exchange(server, text))).toBe('ASSERTION_INVALID')
    await turn(server, 'ACTIVE')
    expect(await outcomeOf(exchange(server, text))).toBe('OK')
    await server.store.tx(async tx => {
      const row = await tx.lock(serviceAccounts, account)
      if (row) await tx.update(serviceAccounts, account, { ...row.value, status: 'DEACTIVATED' }, row.version)
    })
    expect(await outcomeOf(exchange(server, await assertion(signer)))).toBe('ASSERTION_INVALID')
  })

  it('for another audience is accepted only there, as often as it is sent', async () => {
    const signer = await withKey()
    const { account, server } = signer
    const realm = 'https://registry.test/v2/_token'
    const text = await assertion(signer, { aud: realm })
    for (let time = 0; time < 2; time += 1) {
      const checked = await checkAssertion(server.store, text, realm, server.time.now)
      expect(checked.account.id).toBe(account)
    }
    expect(await outcomeOf(exchange(server, text))).toBe('ASSERTION_INVALID')
    const here = await assertion(signer)
    expect(await outcomeOf(checkAssertion(server.store, here, realm, server.time.now))).toBe('ASSERTION_INVALID')
  })
})

describe('keys of service accounts', () => {
  it('are accepted until they expire or are removed, which ends their sessions', async () => {
    const signer = await withKey('EdDSA', { expireTime: '2026-05-01T14:00:00+01:00' })
    const { account, kid, server } = signer
    const stored = (await server.store.get(serviceAccounts, account))?.value
    expect(stored?.keys).toEqual([
      { key_id: kid, algorithm: 'EDDSA', created: '2026-05-01T12:00:00.000Z', expire_time: '2026-05-01T13:00:00.000Z' },
    ])
    server.time.now += 3_599_000
    const { access_token, token_id } = await exchange(server, await assertion(signer))
    server.time.now += 1000
    expect(await outcomeOf(exchange(server, await assertion(signer)))).toBe('ASSERTION_INVALID')
    expect(await server.admission(access_token)).toBe('OK')
    await removeAccountKey(server.parts, account, kid)
    expect(await server.admission(access_token)).toBe('TOKEN_REVOKED')
    expect((await server.store.get(tokens, token_id))?.value).toMatchObject({ revoke_reason: 'ADMIN' })
    expect((await server.store.get(serviceAccounts, account))?.value.keys).toEqual([])
    expect(await server.store.count(accountKeys)).toBe(0)
  })

  it('can be two during a rotation, and the removal of one keeps the other', async () => {
    const old = await withKey()
    const { account, server } = old
    const kid = await addAccountKey(server.parts, account, { publicKey: pem(pairs.ES256.publicKey) })
    const fresh: Signer = { ...old, kid, alg: 'ES256', privateKey: pairs.ES256.privateKey }
    const [first, second] = [
      await exchange(server, await assertion(old)),
      await exchange(server, await assertion(fresh)),
    ]
    expect(first.token_id).not.toBe(second.token_id)
    await removeAccountKey(server.parts, account, old.kid)
    expect(await server.admission(first.access_token)).toBe('TOKEN_REVOKED')
    expect(await server.admission(second.access_token)).toBe('OK')
    expect(await outcomeOf(exchange(server, await assertion(old)))).toBe('ASSERTION_INVALID')
    expect(await outcomeOf(exchange(server, await assertion(fresh)))).toBe('OK')
  })

  it('are refused if they are of another kind, too short, private or damaged', async () => {
    const { account, server } = await withKey()
    const good = pem(pairs.EdDSA.publicKey)
    const faulty: readonly string[] = [
      '',
      'x',
      good.replace('MCow', 'AAAA'),
      good.slice(0, 60),
      good + good,
      pairs.EdDSA.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      good + pairs.EdDSA.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      pairs.RS256.publicKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
      pem(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey),
      pem(generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).publicKey),
      // The exponents 1, 3, 65,535 and the even 65,538.
      ...['AQ', 'Aw', '__8', 'AQAC'].map(e => pem(withExponent(e))),
      pem(generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey),
      pem(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey),
      pem(generateKeyPairSync('x25519').publicKey),
      pem(generateKeyPairSync('ed448').publicKey),
    ]
    for (const publicKey of faulty) {
      expect(await outcomeOf(addAccountKey(server.parts, account, { publicKey }))).toBe('FIELD_INVALID')
    }
    for (const expireTime of ['2026-05-01T12:00:00Z', '2020-01-01T00:00:00Z', 'tomorrow', '']) {
      expect(await outcomeOf(addAccountKey(server.parts, account, { publicKey: good, expireTime }))).toBe(
        'FIELD_INVALID',
      )
    }
    expect(await server.store.count(accountKeys)).toBe(1)
  })

  it('cannot be added or removed for an unknown account or key', async () => {
    const { account, kid, server } = await withKey()
    const { parts } = server
    const absent = parts.clock.newId()
    const publicKey = pem(pairs.EdDSA.publicKey)
    expect(await outcomeOf(addAccountKey(parts, absent, { publicKey }))).toBe('SERVICE_ACCOUNT_NOT_FOUND')
    expect(await outcomeOf(removeAccountKey(parts, absent, kid))).toBe('SERVICE_ACCOUNT_NOT_FOUND')
    expect(await outcomeOf(removeAccountKey(parts, account, absent))).toBe('FIELD_INVALID')
    const other = await addAccount(server, 'other')
    expect(await outcomeOf(removeAccountKey(parts, other, kid))).toBe('FIELD_INVALID')
  })

  it('and their accounts are created and changed by the system principal, in audited operations', async () => {
    const server = await tokenPlatform()
    const workspace = platformWorkspaceId
    const id = await createServiceAccount(server.parts, { workspace, name: 'ci', display_name: 'Builds' })
    const kid = await addAccountKey(server.parts, id, { publicKey: pem(pairs.RS256.publicKey) })
    await removeAccountKey(server.parts, id, kid)
    expect((await server.store.get(serviceAccounts, id))?.value).toMatchObject({
      name: 'ci',
      display_name: 'Builds',
      managed_by: 'OPERATOR',
      status: 'ACTIVE',
    })
    const found = (await server.activities()).filter(({ resource_type }) => resource_type === 'iam.serviceAccounts')
    expect(found.map(row => [row.principal_id, row.category, row.scope_id, row.changed_fields])).toEqual([
      [systemPrincipalId, 'SYSTEM', workspace, []],
      [systemPrincipalId, 'SYSTEM', workspace, ['keys']],
      [systemPrincipalId, 'SYSTEM', workspace, ['keys']],
    ])
    const again = createServiceAccount(server.parts, { workspace, name: 'ci' })
    expect(await outcomeOf(again)).toBe('FIELD_INVALID')
    expect(await outcomeOf(createServiceAccount(server.parts, { workspace, name: 'No Name' }))).toBe('FIELD_INVALID')
    const nowhere = createServiceAccount(server.parts, { workspace: server.parts.clock.newId(), name: 'ci' })
    expect(await outcomeOf(nowhere)).toBe('WORKSPACE_NOT_FOUND')
    await turn(server, 'ARCHIVED')
    expect(await outcomeOf(createServiceAccount(server.parts, { workspace, name: 'late' }))).toBe(
      'WORKSPACE_NOT_ACTIVE',
    )
  })
})
