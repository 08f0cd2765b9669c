import { generateKeyPairSync } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addMember, type Member } from '../../areas/members.ts'
import { baseUrl } from '../../areas/open-platform.ts'
import { testPlatform, type TestPlatform } from '../../areas/test-platform.ts'
import { unthrottled } from './unthrottled.ts'

let undo: (() => void | Promise<void>)[] = []
let platform: TestPlatform
let kim: Member
/** The activation token of an invited account that is not activated yet. */
let credential = ''

beforeAll(async () => {
  platform = await testPlatform({ config: { given: unthrottled }, later: later => void undo.push(later) })
  const { api: ada } = await platform.admin()
  kim = await addMember(platform, ada, { email: 'kim@acme.example' })
  const invited = await ada.iam.inviteUser({ body: { email: 'lou@acme.example', delivery: 'RETURN' } })
  credential = invited.credential?.token ?? ''
})

afterAll(async () => {
  for (const each of undo.toReversed()) await each()
  undo = []
})

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ %~é\u0000\n']

/**
 * Generates texts that differ from `text` by one edit: a replaced, added or removed letter, two swapped letters, a
 * changed case, a removed or repeated part, an added `=` or `.`, upper case, or reversed parts.
 */
function changed(text: string): fc.Arbitrary<string> {
  const at = fc.nat({ max: text.length - 1 })
  const letter = fc.constantFrom(...letters)
  const part = fc.tuple(at, at).map(([a, b]) => [Math.min(a, b), Math.max(a, b) + 1] as const)
  return fc
    .oneof(
      fc.tuple(at, letter).map(([i, c]) => text.slice(0, i) + c + text.slice(i + 1)),
      fc.tuple(at, letter).map(([i, c]) => text.slice(0, i) + c + text.slice(i)),
      at.map(i => text.slice(0, i) + text.slice(i + 1)),
      at.map(i => text.slice(0, i) + (text[i + 1] ?? '') + (text[i] ?? '') + text.slice(i + 2)),
      at.map(i => text.slice(0, i) + swappedCase(text[i] ?? '') + text.slice(i + 1)),
      part.map(([from, to]) => text.slice(0, from) + text.slice(to)),
      part.map(([from, to]) => text + text.slice(from, to)),
      fc.constantFrom(`${text}=`, `${text}.`, `.${text}`, text.toUpperCase(), text.split('.').toReversed().join('.')),
    )
    .filter(each => each !== text)
}

const swappedCase = (letter: string): string =>
  letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()

/** Sends a request, and returns the status and the error reason of the response. */
async function call(path: string, init: RequestInit): Promise<readonly [number, string]> {
  const answer = await platform.from('192.0.2.9')(`${baseUrl}/iam/v1/${path}`, init)
  const text = await answer.text()
  const { details: [info] = [] }: { details?: { reason: string }[] } = answer.ok ? {} : JSON.parse(text)
  return [answer.status, info?.reason ?? '']
}

const post = (path: string, body: object): Promise<readonly [number, string]> =>
  call(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

const profile = (token: string) => call('users/me', { headers: { authorization: `Bearer ${token}` } })

const runs = { numRuns: 300 }

it('admits no changed access token', async () => {
  // A header can only carry printable ASCII, and loses spaces at its ends.
  const isHeader = (text: string): boolean => /^[\x20-\x7e]*$/.test(text) && text.trim() !== kim.token
  await fc.assert(
    fc.asyncProperty(changed(kim.token).filter(isHeader), async token => {
      expect(await profile(token)).toEqual([401, 'TOKEN_INVALID'])
    }),
    runs,
  )
  expect(await profile(kim.token)).toEqual([200, ''])
})

/**
 * Decodes a part of a token, replaces members of its JSON object by those of `change`, and returns the encoded result.
 */
function part(text: string, change: object): string {
  const value: object = JSON.parse(Buffer.from(text, 'base64url').toString())
  return Buffer.from(JSON.stringify({ ...value, ...change })).toString('base64url')
}

it.each([
  ['no algorithm', { alg: 'none' }, {}],
  ['an algorithm of shared keys', { alg: 'HS256' }, {}],
  ['another type', { typ: 'JWT' }, {}],
  ['a key of its own', { jwk: generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }) }, {}],
  ['what must be understood', { crit: ['exp'] }, {}],
  ['another subject', {}, { sub: '00000000-0000-7000-8000-000000000001' }],
  ['a later end', {}, { exp: 4_102_444_800 }],
  ['another audience', {}, { aud: 'elsewhere' }],
  ['another issuer', {}, { iss: 'http://elsewhere.test' }],
] as const)('admits no access token that was given %s', async (_, header, claims) => {
  const [head = '', body = '', signature = ''] = kim.token.split('.')
  for (const end of [signature, '']) {
    const token = `${part(head, header)}.${part(body, claims)}.${end}`
    expect(await profile(token)).toEqual([401, 'TOKEN_INVALID'])
  }
})

it('treats a changed refresh token as unknown, and keeps the session', async () => {
  await fc.assert(
    fc.asyncProperty(changed(kim.refreshToken), async refresh_token => {
      const [status, reason] = await post('tokens:refresh', { refresh_token })
      expect([401, 400]).toContain(status)
      expect(reason).toBeOneOf(['REFRESH_TOKEN_INVALID', 'FIELD_INVALID'])
    }),
    runs,
  )
  expect(await post('tokens:refresh', { refresh_token: kim.refreshToken })).toEqual([200, ''])
  expect(await profile(kim.token)).toEqual([200, ''])
})

it('accepts no changed credential token, and keeps the true token valid', async () => {
  const password = 'quiet-harbour-lantern'
  await fc.assert(
    fc.asyncProperty(changed(credential), fc.constantFrom('lookupCredentialToken', 'activate'), async (token, verb) => {
      const body = verb === 'activate' ? { token, password } : { token }
      const [status, reason] = await post(`users:${verb}`, body)
      expect([404, 400]).toContain(status)
      expect(reason).toBeOneOf(['CREDENTIAL_TOKEN_INVALID', 'FIELD_INVALID'])
    }),
    runs,
  )
  const [reset] = await post('users:completePasswordReset', { token: credential, password })
  expect(reset).toBe(404)
  expect(await post('users:activate', { token: credential, password })).toEqual([200, ''])
})
