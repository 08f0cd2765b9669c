import { generateKeyPairSync } from 'node:crypto'
import { SignJWT } from 'jose'
import { expect, it } from 'vitest'
import { addAccountKey } from '../../../../domain/iam/service-accounts/account-keys.ts'
import { signingKeys } from '../../../../domain/iam/collections/signing-keys-store.ts'
import { addAccount, addUser, tokenPlatform, type TokenPlatform } from '../token-platform.ts'
import { baseUrl, collections } from '../iam-environment.ts'
import { callContext } from '../calls.ts'
import { valueOf } from '../../outcomes.ts'

const password = 'correct horse battery'

/** Returns all rows of the store as text. */
async function storeText({ store }: TokenPlatform): Promise<string> {
  const texts: string[] = []
  for (const collection of collections) {
    for await (const { text } of store.each<never>(collection)) texts.push(text.text)
  }
  return texts.join('\n')
}

it('no secret of a token is in the store, in activities or in lists', async () => {
  const server = await tokenPlatform()
  const secrets: string[] = []
  const user = await addUser(server, 'kim@example.test', password)
  for (let i = 0; i < 3; i += 1) {
    const answer = await server.signIn('kim@example.test', password)
    const next = await server.refresh(answer.refresh_token ?? '')
    for (const { access_token, refresh_token = '' } of [answer, next]) secrets.push(access_token, refresh_token)
  }
  const [, spent = ''] = secrets
  server.time.now += 40_000
  await server.refresh(spent).catch(() => undefined)
  await valueOf(server.tokens.revokeToken({ body: { token: secrets.at(-1) ?? '' } }, callContext(server.time.now)))
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const account = await addAccount(server)
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const kid = await addAccountKey(server.parts, account, { publicKey: pem })
  const iat = Math.floor(server.time.now / 1000)
  const claims = {
    iss: account,
    sub: account,
    aud: `${baseUrl}/iam/v1/tokens:refresh`,
    iat,
    exp: iat + 60,
    jti: 'jti-1',
  }
  const assertion = await new SignJWT(claims).setProtectedHeader({ alg: 'EdDSA', kid }).sign(privateKey)
  const answer = await valueOf(server.tokens.refreshToken({ body: { assertion } }, callContext(server.time.now)))
  secrets.push(assertion, answer.access_token, 'jti-1')

  const listed = JSON.stringify(await server.list({ page_size: 100 }, { id: user, kind: 'user' }))
  const stored = await storeText(server)
  expect(stored).toContain(user)
  expect(stored).toContain('REUSE_DETECTED')
  const parts = secrets.flatMap(secret => [secret, ...secret.split('.').filter(part => part.length > 40)])
  expect(parts.length).toBeGreaterThan(30)
  for (const part of parts) {
    expect(stored).not.toContain(part)
    expect(listed).not.toContain(part)
    expect(stored).not.toContain(Buffer.from(part, 'base64url').toString('hex'))
  }
  expect(await server.store.count(signingKeys)).toBe(1)
  expect(listed).not.toMatch(/hash|salt|network|keep_until|home_/)
})
