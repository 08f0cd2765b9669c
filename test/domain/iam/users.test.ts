import { describe, expect, it } from 'vitest'
import { credentialTokens } from '../../../domain/iam/collections/credential-tokens-store.ts'
import { passwords, users } from '../../../domain/iam/collections/users-store.ts'
import type { InvitationInput } from '../../../output/iam/types.ts'
import { ApiError } from '../../../runtime/errors.ts'
import { testStore } from '../../server/store/harness.ts'
import { pngOf, usual } from './pictures.ts'
import {
  activeUser,
  administrator,
  goodPassword,
  invite,
  organisation,
  usersPlatform,
  workspace,
  type UsersPlatform,
} from './users-platform.ts'
import { collections } from './iam-environment.ts'
import { outcomeOf } from '../outcomes.ts'

const platform = async (): Promise<UsersPlatform> => usersPlatform(await testStore(...collections))

describe('an invitation', () => {
  it('creates a user who becomes ACTIVE by its token and a password, once', async () => {
    const { as, nobody, parts } = await platform()
    const operation = await as().inviteUser({
      body: {
        email: 'X@Y.example',
        organisation_id: organisation,
        grants: [{ scope_type: 'WORKSPACE', scope_id: workspace, role_id: 'workspace-viewer' }],
      },
    })
    const { credential, resource_id: id } = operation
    expect(operation).toMatchObject({
      operation_type: 'IAM_OPERATION_TYPE_INVITE',
      resource_type: 'iam.users',
      scope_type: 'IAM_SCOPE_TYPE_ORGANISATION',
      scope_id: organisation,
      principal_id: administrator,
    })
    expect(credential?.token).toMatch(/^ct1\.[\w-]{43}$/)
    expect(credential?.url).toBe(`https://console.test/credential#${credential?.token}`)
    expect(credential?.expire_time).toBe('2026-03-04T12:00:00.000Z')
    const token = credential?.token ?? ''
    expect(await as().getUser({ id })).toMatchObject({
      email: 'x@y.example',
      display_name: 'x',
      status: 'INVITED',
      invited_by: administrator,
      invite_expire_time: credential?.expire_time,
    })
    expect(await nobody.lookupCredentialToken({ body: { token } })).toEqual({
      purpose: 'ACTIVATION',
      email: 'x@y.example',
      display_name: 'x',
      expire_time: credential?.expire_time,
      password_min_length: 12,
      password_max_length: 128,
    })
    const activate = (password: string) => nobody.activateUser({ body: { token, password } })
    expect(await outcomeOf(activate('elevenchars'))).toBe('PASSWORD_TOO_WEAK')
    expect(await activate('twelve-chars')).toMatchObject({
      operation_type: 'IAM_OPERATION_TYPE_ACTIVATE',
      resource_id: id,
      principal_id: id,
    })
    const active = await as().getUser({ id })
    expect(active).toMatchObject({ status: 'ACTIVE', invited_by: '', password_update_time: '2026-03-01T12:00:00.000Z' })
    expect(active).not.toHaveProperty('invite_expire_time')
    expect(await outcomeOf(activate('twelve-chars'))).toBe('CREDENTIAL_TOKEN_INVALID')
    expect(await as().getOperation({ id: operation.id })).not.toHaveProperty('credential')
    const hash = (await parts.store.get(passwords, id))?.value.hash
    expect(await parts.passwords.verify(hash, 'twelve-chars')).toBe(true)
  })

  it('grants every role that it names, or is not created', async () => {
    const made = await platform()
    const grants = [
      { scope_type: 'WORKSPACE', scope_id: workspace, role_id: 'workspace-viewer' } as const,
      { scope_type: 'PLATFORM', scope_id: '', role_id: 'platform-viewer' } as const,
    ]
    await made.as().inviteUser({ body: { email: 'a@b.example', grants } })
    expect(made.world.granted).toEqual([`workspace-viewer WORKSPACE ${workspace}`, 'platform-viewer PLATFORM '])
    made.world.missing.add('iam.bindings.create')
    expect(await outcomeOf(made.as().inviteUser({ body: { email: 'c@b.example', grants } }))).toBe(
      'IAM_PERMISSION_DENIED',
    )
    expect((await made.as().listUsers({})).users.map(({ email }) => email)).toEqual(['a@b.example'])
  })

  it.each([
    ['an address that is taken', { email: 'KIM@acme.example' }, 'USER_ALREADY_EXISTS', undefined],
    ['no such organisation', { organisation_id: administrator }, 'SCOPE_NOT_FOUND', 'organisation_id'],
    ['an unknown time zone', { time_zone: 'Europe/Atlantis' }, 'FIELD_INVALID', 'time_zone'],
    ['no language tag', { locale: 'en-abcdefghij' }, 'FIELD_INVALID', 'locale'],
    ['a token that lives too short', { token_ttl: '3599s' }, 'FIELD_INVALID', 'token_ttl'],
    ['a token that lives too long', { token_ttl: '604801s' }, 'FIELD_INVALID', 'token_ttl'],
    [
      'a grant at no scope',
      { grants: [{ scope_type: 'GROUP', scope_id: administrator, role_id: 'r' }] },
      'SCOPE_NOT_FOUND',
      'grants[0].scope_id',
    ],
    [
      'a grant at the platform with an id',
      { grants: [{ scope_type: 'PLATFORM', scope_id: administrator, role_id: 'r' }] },
      'FIELD_INVALID',
      'grants[0].scope_id',
    ],
  ] satisfies readonly (readonly [string, Partial<InvitationInput>, string, string | undefined])[])(
    'is refused for %s',
    async (_name, more, reason, field) => {
      const made = await platform()
      await invite(made)
      const call = made.as().inviteUser({ body: { email: 'new@acme.example', ...more } })
      const error = await call.catch((thrown: unknown) => thrown)
      if (!(error instanceof ApiError)) throw new Error('not refused')
      expect([error.reason, error.details.badRequest?.[0]?.field]).toEqual([reason, field])
    },
  )

  it('is refused at an inactive organisation', async () => {
    const made = await platform()
    made.world.states.set(organisation, 'SUSPENDED')
    expect(await outcomeOf(invite(made))).toBe('SCOPE_NOT_ACTIVE')
  })
})

describe('a credential token', () => {
  it('opens nothing if it was never issued, and each wrong token counts', async () => {
    const { nobody, world } = await platform()
    for (const token of ['', 'ct1.', `ct1.${'A'.repeat(43)}`, "ct1.' OR 1=1", 'rt1.x.y']) {
      expect(await outcomeOf(nobody.lookupCredentialToken({ body: { token } }))).toMatch(
        token === '' ? /FIELD_INVALID|CREDENTIAL_TOKEN_INVALID/ : /^CREDENTIAL_TOKEN_INVALID$/,
      )
    }
    expect(world.attempts.token).toBeGreaterThanOrEqual(4)
  })

  it('is checked after the throttle, and a valid token does not count', async () => {
    const made = await platform()
    const { token } = await invite(made)
    await made.nobody.lookupCredentialToken({ body: { token } })
    expect(made.world.attempts.token).toBe(0)
    made.world.isThrottled = true
    const calls = [
      made.nobody.lookupCredentialToken({ body: { token } }),
      made.nobody.activateUser({ body: { token, password: goodPassword } }),
      made.nobody.completePasswordReset({ body: { token, password: goodPassword } }),
    ]
    for (const outcome of await Promise.all(calls.map(outcomeOf))) expect(outcome).toBe('AUTHENTICATION_THROTTLED')
  })

  it('can be used only for its own purpose', async () => {
    const made = await platform()
    const { id, token } = await invite(made)
    const body = { token, password: goodPassword }
    expect(await outcomeOf(made.nobody.completePasswordReset({ body }))).toBe('CREDENTIAL_TOKEN_INVALID')
    await made.nobody.activateUser({ body })
    const { credential } = await made.as().resetUserPassword({ id, body: {} })
    const reset = { token: credential?.token ?? '', password: 'seven-amber-windmills' }
    expect(await outcomeOf(made.nobody.activateUser({ body: reset }))).toBe('CREDENTIAL_TOKEN_INVALID')
    expect(await outcomeOf(made.nobody.completePasswordReset({ body: reset }))).toBe('OK')
  })

  it.each([
    ['its time is over', async ({ world }: UsersPlatform) => void (world.now += 259_200_000)],
    [
      'a newer one was minted',
      async ({ as }: UsersPlatform, id: string) => void (await as().regenerateActivation({ id, body: {} })),
    ],
    [
      'its user was deactivated, and let in again',
      async ({ as }: UsersPlatform, id: string) => {
        await as().deactivateUser({ id, body: {} })
        await as().reactivateUser({ id, body: {} })
      },
    ],
    [
      'the address changed',
      async ({ as }: UsersPlatform, id: string) => {
        const body = { email: 'other@acme.example' }
        await as().updateUser({ id, update_mask: 'email', body })
      },
    ],
    [
      'its minter could not take the account over any more',
      async ({ world }: UsersPlatform, id: string) => void world.strong.add(id),
    ],
  ])('is invalid once %s', async (_name, happens) => {
    const made = await platform()
    const { id, token } = await invite(made)
    await happens(made, id)
    expect(await outcomeOf(made.nobody.lookupCredentialToken({ body: { token } }))).toBe('CREDENTIAL_TOKEN_INVALID')
    const body = { token, password: goodPassword }
    expect(await outcomeOf(made.nobody.activateUser({ body }))).toBe('CREDENTIAL_TOKEN_INVALID')
    expect(await made.as().getUser({ id })).toMatchObject({ status: 'INVITED' })
  })

  it('does not depend on its issuer if it was mailed', async () => {
    const made = await platform()
    made.world.isMailing = true
    const { id } = await invite(made)
    made.world.strong.add(id)
    const [, token = ''] = /#(ct1\.\S+)/.exec(made.world.mails[0]?.text ?? '') ?? []
    await made.nobody.activateUser({ body: { token, password: goodPassword } })
    expect(await made.as().getUser({ id })).toMatchObject({ status: 'ACTIVE' })
  })
})

describe('delivery', () => {
  it('is by mail where a mail server exists: the response has no token', async () => {
    const made = await platform()
    made.world.isMailing = true
    const operation = await made.as().inviteUser({ body: { email: 'a@b.example' } })
    expect(operation).not.toHaveProperty('credential')
    expect(operation.warnings).toEqual([])
    expect(made.world.mails).toMatchObject([{ to: 'a@b.example', text: expect.stringContaining('#ct1.') }])
  })

  it('by a refused mail leads to a warning in the response and in the operation', async () => {
    const made = await platform()
    made.world.isMailRefused = true
    const operation = await made.as().inviteUser({ body: { email: 'a@b.example', delivery: 'NOTIFY' } })
    expect(operation).toMatchObject({ status: 'IAM_OPERATION_STATUS_DONE', warnings: [{ code: 2010090 }] })
    expect(await made.as().getOperation({ id: operation.id })).toEqual(operation)
  })

  it('returns the operation without the token for a repeated call, and issues no further token', async () => {
    const made = await platform()
    const call = () => made.as().inviteUser({ body: { email: 'a@b.example' } }, { idempotencyKey: 'once' })
    const { credential, ...operation } = await call()
    expect(credential).toBeDefined()
    expect(await call()).toEqual(operation)
    expect(await made.parts.store.count(credentialTokens)).toBe(1)
    expect(await outcomeOf(made.nobody.lookupCredentialToken({ body: { token: credential?.token ?? '' } }))).toBe('OK')
  })
})

describe('a user', () => {
  it('is listed for callers who may see its organisation, with the delay of its address', async () => {
    const made = await platform()
    await invite(made)
    await made.as().inviteUser({ body: { email: 'platform@b.example' } })
    made.world.waits.set('kim@acme.example', '2026-03-01T12:05:00.000Z')
    const emails = async () => (await made.as().listUsers({})).users.map(({ email }) => email)
    expect(await emails()).toEqual(['kim@acme.example', 'platform@b.example'])
    made.world.visible = { scopes: new Set([organisation]) }
    expect(await made.as().listUsers({})).toMatchObject({
      users: [{ email: 'kim@acme.example', throttled_until: '2026-03-01T12:05:00.000Z' }],
    })
    made.world.visible = { scopes: new Set([administrator]) }
    expect(await emails()).toEqual([])
  })

  it('is updated by a mask, and keeps its etag if no value changes', async () => {
    const made = await platform()
    const { id } = await invite(made)
    const before = await made.as().getUser({ id })
    await made.as().updateUser({ id, body: { email: 'kim@ACME.example', display_name: 'kim' } })
    expect(await made.as().getUser({ id })).toEqual(before)
    await made.as().updateUser({ id, update_mask: 'labels', body: { labels: { team: 'a' } } })
    const after = await made.as().getUser({ id })
    expect(after).toMatchObject({ labels: { team: 'a' }, display_name: 'kim' })
    expect(after.etag).not.toBe(before.etag)
    expect(await outcomeOf(made.as().updateUser({ id, update_mask: 'labels', body: { etag: before.etag } }))).toBe(
      'ETAG_MISMATCH',
    )
    expect(
      await outcomeOf(made.as().updateUser({ id, body: { email: 'kim@acme.example', organisation_id: workspace } })),
    ).toBe('FIELD_IMMUTABLE')
  })

  it('gets another address only from callers who could take the account over, and notifies all servers', async () => {
    const made = await platform()
    const { id } = await invite(made)
    await invite(made, 'pat@acme.example')
    const change = (email: string) => made.as().updateUser({ id, update_mask: 'email', body: { email } })
    expect(await outcomeOf(change('PAT@acme.example'))).toBe('USER_ALREADY_EXISTS')
    made.world.strong.add(id)
    expect(await outcomeOf(change('new@acme.example'))).toBe('ESCALATION_DENIED')
    expect(await outcomeOf(made.as().updateUser({ id, update_mask: 'locale', body: { locale: 'en-GB' } }))).toBe('OK')
    made.world.strong.clear()
    made.world.changes.length = 0
    await change('new@acme.example')
    expect(made.world.changes).toEqual([`PRINCIPAL ${id}`])
    const user = await made.as().getUser({ id })
    expect(user.email).toBe('new@acme.example')
    expect(user).not.toHaveProperty('invite_expire_time')
  })

  it('with an unknown id is not found', async () => {
    const { as } = await platform()
    const id = administrator
    const calls = [
      as().getUser({ id }),
      as().updateUser({ id, body: { email: 'a@b.example' } }),
      as().deactivateUser({ id, body: {} }),
      as().reactivateUser({ id, body: {} }),
      as().regenerateActivation({ id, body: {} }),
      as().resetUserPassword({ id, body: {} }),
      as().getUserAvatar({ id }),
    ]
    const reasons = await Promise.all(calls.map(call => outcomeOf(call)))
    expect(new Set(reasons)).toEqual(new Set(['USER_NOT_FOUND']))
  })
})

describe('the caller', () => {
  it('changes a profile of three fields', async () => {
    const made = await platform()
    const id = await activeUser(made)
    const me = made.as(id)
    await me.updateMyProfile({ update_mask: 'locale', body: { locale: 'de-CH' } })
    expect(await me.getMyProfile({})).toMatchObject({ id, locale: 'de-CH', display_name: 'kim' })
    await me.updateMyProfile({ body: { display_name: 'Kim Doe', time_zone: 'Europe/Zurich' } })
    expect(await me.getMyProfile({})).toMatchObject({ locale: '', display_name: 'Kim Doe', time_zone: 'Europe/Zurich' })
    await me.updateMyProfile({ body: {} })
    expect(await me.getMyProfile({})).toMatchObject({ display_name: 'kim', time_zone: '' })
    made.world.waits.set('kim@acme.example', '2026-03-01T12:05:00.000Z')
    expect(await me.getMyProfile({})).not.toHaveProperty('throttled_until')
  })

  it('has neither profile nor picture nor password as a service account', async () => {
    const { as } = await platform()
    const account = as(administrator, 'service')
    const body = { content_type: 'image/png', data: pngOf(usual).toString('base64') } as const
    const calls = [
      account.getMyProfile({}),
      account.updateMyProfile({ body: {} }),
      account.getMyAvatar({}),
      account.setMyAvatar({ body }),
      account.deleteMyAvatar({}),
      account.changeMyPassword({ body: { current_password: goodPassword, new_password: goodPassword } }),
    ]
    for (const call of calls) expect(await outcomeOf(call)).toBe('CALLER_NOT_A_USER')
  })

  it('changes the password, which ends all other sessions', async () => {
    const made = await platform()
    const id = await activeUser(made)
    const change = (current_password: string, new_password: string) =>
      made.as(id).changeMyPassword({ body: { current_password, new_password } })
    expect(await outcomeOf(change('not-the-password', 'seven-amber-windmills'))).toBe('CURRENT_PASSWORD_MISMATCH')
    expect(made.world.attempts.password).toBe(1)
    expect(await outcomeOf(change(goodPassword, 'short'))).toBe('PASSWORD_TOO_WEAK')
    expect(await outcomeOf(change(goodPassword, goodPassword))).toBe('PASSWORD_REUSED')
    expect(made.world.attempts.password).toBe(1)
    expect(made.world.ended).toEqual([])
    expect(await outcomeOf(change(goodPassword, 'seven-amber-windmills'))).toBe('OK')
    expect(made.world.ended).toEqual([`PASSWORD_CHANGED ${id} session-of-${id}`])
    expect(await outcomeOf(change(goodPassword, 'eight-amber-windmills'))).toBe('CURRENT_PASSWORD_MISMATCH')
    made.world.isThrottled = true
    expect(await outcomeOf(change('seven-amber-windmills', 'eight-amber-windmills'))).toBe('AUTHENTICATION_THROTTLED')
  })

  it('gets the same operation for a repeated change of the password under its key', async () => {
    const made = await platform()
    const id = await activeUser(made)
    const body = { current_password: goodPassword, new_password: 'seven-amber-windmills' }
    const change = () => made.as(id).changeMyPassword({ body }, { idempotencyKey: 'once' })
    expect(await change()).toEqual(await change())
    expect(made.world.attempts.password).toBe(0)
  })

  it('cannot reuse one of the last five passwords, even by a reset', async () => {
    const made = await platform()
    const id = await activeUser(made)
    const words = ['one', 'two', 'three', 'four', 'five'].map(word => `${word}-amber-windmills`)
    let current = goodPassword
    for (const next of words.slice(0, 4)) {
      await made.as(id).changeMyPassword({ body: { current_password: current, new_password: next } })
      current = next
    }
    const { credential } = await made.as().resetUserPassword({ id, body: {} })
    const complete = (password: string) =>
      made.nobody.completePasswordReset({ body: { token: credential?.token ?? '', password } })
    for (const used of [goodPassword, ...words.slice(0, 4)]) {
      expect(await outcomeOf(complete(used))).toBe('PASSWORD_REUSED')
    }
    expect(await outcomeOf(complete('five-amber-windmills'))).toBe('OK')
    const change = { current_password: 'five-amber-windmills', new_password: goodPassword }
    expect(await outcomeOf(made.as(id).changeMyPassword({ body: change }))).toBe('OK')
  })
})

it('rows, operations and audit contain only hashes of passwords and tokens', async () => {
  const made = await platform()
  const { id, token } = await invite(made)
  await made.nobody.activateUser({ body: { token, password: goodPassword } })
  const reset = await made.as().resetUserPassword({ id, body: {} })
  const body = { token: reset.credential?.token ?? '', password: 'seven-amber-windmills' }
  await made.nobody.completePasswordReset({ body })
  const secrets = [token, token.slice(4), body.token, body.token.slice(4), goodPassword, body.password]
  let rows = 0
  for (const collection of collections) {
    for await (const { text } of made.parts.store.each(collection)) {
      rows += 1
      for (const secret of secrets) expect(text.text).not.toContain(secret)
    }
  }
  expect(rows).toBeGreaterThan(10)
  expect((await made.parts.store.get(passwords, id))?.value.hash).toMatch(/^\$argon2id\$v=19\$m=8,t=1,p=1\$/)
  expect(await made.parts.store.get(users, id)).not.toHaveProperty('value.hash')
})
