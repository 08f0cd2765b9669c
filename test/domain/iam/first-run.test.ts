import { describe, expect, it } from 'vitest'
import { bindings } from '../../../domain/iam/collections/bindings-store.ts'
import { breakGlass } from '../../../domain/iam/users/break-glass.ts'
import { credentialTokens } from '../../../domain/iam/collections/credential-tokens-store.ts'
import { beginFirstRun } from '../../../domain/iam/users/first-run.ts'
import { principals } from '../../../domain/iam/collections/principals-store.ts'
import { users } from '../../../domain/iam/collections/users-store.ts'
import { systemPrincipalId } from '../../../domain/ports/reserved.ts'
import { storeAt, testPlace, testStore } from '../../server/store/harness.ts'
import { activeUser, goodPassword, invite, usersPlatform, World } from './users-platform.ts'
import { collections } from './iam-environment.ts'
import { outcomeOf } from '../outcomes.ts'

const email = 'Admin@localhost'
const administers = { role_id: 'platform-admin', scope_type: 'PLATFORM' }

const platform = async () => usersPlatform(await testStore(...collections))

describe('the first run', () => {
  it('invites an administrator of the platform, who activates the account within 24 hours', async () => {
    const { as, nobody, parts, world } = await platform()
    const begun = await beginFirstRun(parts, { email })
    if (begun.kind !== 'invited') throw new Error('nobody was invited')
    expect(await as().getUser({ id: begun.user })).toMatchObject({
      email: 'admin@localhost',
      status: 'INVITED',
      organisation_id: '',
      invited_by: systemPrincipalId,
      invite_expire_time: '2026-03-02T12:00:00.000Z',
    })
    expect((await parts.store.find(bindings, administers))?.value).toMatchObject({
      principal_id: begun.user,
      scope_id: '',
      condition: '',
      created_by: systemPrincipalId,
    })
    expect((await parts.store.get(principals, begun.user))?.value).toMatchObject({ kind: 'USER', status: 'INVITED' })
    world.now += 86_399_999
    await nobody.activateUser({ body: { token: begun.token, password: goodPassword } })
    expect(await beginFirstRun(parts, { email })).toEqual({ kind: 'administered', user: begun.user })
    expect(await parts.store.count(users)).toBe(1)
  })

  it('issues a new token at each start, until a token was used', async () => {
    const { nobody, parts, world } = await platform()
    const [one, two] = [await beginFirstRun(parts, { email }), await beginFirstRun(parts, { email })]
    if (one.kind !== 'invited' || two.kind !== 'invited') throw new Error('nobody was invited')
    expect(two.user).toBe(one.user)
    expect(await outcomeOf(nobody.lookupCredentialToken({ body: { token: one.token } }))).toBe(
      'CREDENTIAL_TOKEN_INVALID',
    )
    world.now += 86_400_000
    expect(await outcomeOf(nobody.lookupCredentialToken({ body: { token: two.token } }))).toBe(
      'CREDENTIAL_TOKEN_INVALID',
    )
    const three = await beginFirstRun(parts, { email })
    if (three.kind !== 'invited') throw new Error('nobody was invited')
    await nobody.activateUser({ body: { token: three.token, password: goodPassword } })
  })

  it('continues with another address that is set before the activation', async () => {
    const { as, parts } = await platform()
    const { user } = await beginFirstRun(parts, { email })
    expect(await beginFirstRun(parts, { email: 'root@acme.example' })).toMatchObject({ kind: 'invited', user })
    expect(await as().getUser({ id: user })).toMatchObject({ email: 'root@acme.example', status: 'INVITED' })
    expect(await parts.store.count(bindings, administers)).toBe(1)
  })

  it('makes the administrator ACTIVE by a password in a file, even at a later start', async () => {
    const { as, parts } = await platform()
    await beginFirstRun(parts, { email })
    const { kind, user } = await beginFirstRun(parts, { email, password: async () => goodPassword })
    expect(kind).toBe('administered')
    const made = await as().getUser({ id: user })
    expect(made).toMatchObject({ status: 'ACTIVE', invited_by: '', password_update_time: '2026-03-01T12:00:00.000Z' })
    expect(made).not.toHaveProperty('invite_expire_time')
    expect(await parts.store.count(credentialTokens, { user_id: user, status: 'LIVE' })).toBe(0)
    const never = () => Promise.reject(new Error('the file is gone'))
    expect(await beginFirstRun(parts, { email, password: never })).toEqual({ kind: 'administered', user })
  })

  it('ends the start if the password is too weak, and creates no user', async () => {
    const { parts } = await platform()
    const begin = beginFirstRun(parts, { email, password: async () => 'too-short' })
    await expect(begin).rejects.toThrow('bootstrap.admin_password_file: must have 12 to 128 characters')
    expect(await parts.store.count(users)).toBe(0)
  })

  it('does nothing once the platform has had an administrator', async () => {
    const { nobody, parts } = await platform()
    const { token } = await breakGlass(parts, 'kim@acme.example')
    await nobody.activateUser({ body: { token, password: goodPassword } })
    expect(await beginFirstRun(parts, { email })).toMatchObject({ kind: 'administered' })
    expect(await parts.store.find(users, { email: 'admin@localhost' })).toBeUndefined()
  })

  it('creates one administrator when several servers start concurrently', async () => {
    const place = await testPlace()
    const world = new World()
    const servers = await Promise.all(
      [1, 2, 3].map(async () => usersPlatform(await storeAt(place, ...collections), world)),
    )
    const begun = await Promise.all(servers.map(({ parts }) => beginFirstRun(parts, { email })))
    const [{ parts } = { parts: undefined }] = servers
    if (parts === undefined) throw new Error('there is no server')
    expect(new Set(begun.map(({ user }) => user)).size).toBe(1)
    expect(await parts.store.count(users)).toBe(1)
    expect(await parts.store.count(bindings)).toBe(1)
    expect(await parts.store.count(credentialTokens, { status: 'LIVE' })).toBe(1)
  })
})

describe('a user of the host', () => {
  it('can make a new address an administrator of the platform', async () => {
    const { as, nobody, parts } = await platform()
    const { expire_time, purpose, token, url, user } = await breakGlass(parts, 'Root@acme.example')
    expect([purpose, url, expire_time]).toEqual([
      'ACTIVATION',
      `https://console.test/credential#${token}`,
      '2026-03-02T12:00:00.000Z',
    ])
    expect(await as().getUser({ id: user })).toMatchObject({ email: 'root@acme.example', status: 'INVITED' })
    await nobody.activateUser({ body: { token, password: goodPassword } })
    expect(await parts.store.count(bindings, { ...administers, principal_id: user })).toBe(1)
  })

  it('can reset the password of a user, whose old password is valid until then', async () => {
    const made = await platform()
    const id = await activeUser(made)
    const { expire_time, purpose, token } = await breakGlass(made.parts, 'KIM@acme.example')
    expect([purpose, expire_time]).toEqual(['PASSWORD_RESET', '2026-03-01T13:00:00.000Z'])
    expect(made.world.ended).toEqual([])
    const change = { current_password: goodPassword, new_password: 'seven-amber-windmills' }
    await made.as(id).changeMyPassword({ body: change })
    await made.nobody.completePasswordReset({ body: { token, password: 'eight-amber-windmills' } })
    expect(made.world.ended.at(-1)).toBe(`PASSWORD_RESET ${id}`)
  })

  it.each([
    ['with a password', true, 'ACTIVE', 'PASSWORD_RESET'],
    ['without one', false, 'INVITED', 'ACTIVATION'],
  ] as const)('can reactivate a deactivated user, %s', async (_name, hasPassword, status, purpose) => {
    const made = await platform()
    const id = hasPassword ? await activeUser(made) : (await invite(made)).id
    await made.as().deactivateUser({ id, body: {} })
    expect(await breakGlass(made.parts, 'kim@acme.example')).toMatchObject({ purpose, user: id })
    expect(await made.as().getUser({ id })).toMatchObject({ status })
  })

  it('can make a temporary role permanent', async () => {
    const { parts } = await platform()
    const { user } = await breakGlass(parts, 'kim@acme.example')
    await parts.store.tx(async tx => {
      const binding = await tx.find(bindings, { principal_id: user })
      if (binding === undefined) throw new Error('there is no binding')
      const until = { ...binding.value, expire_time: '2026-03-01T12:01:00.000Z' }
      await tx.update(bindings, binding.id, until, binding.version)
    })
    await breakGlass(parts, 'kim@acme.example')
    expect(await parts.store.count(bindings)).toBe(1)
    expect((await parts.store.find(bindings, { principal_id: user }))?.value).not.toHaveProperty('expire_time')
  })

  it('is recorded in operations of the system principal', async () => {
    const { as, parts } = await platform()
    const { user } = await breakGlass(parts, 'kim@acme.example')
    const { operations } = await as().listOperations({})
    expect(operations.map(({ operation_type: type }) => type).toSorted()).toEqual([
      'IAM_OPERATION_TYPE_GRANT',
      'IAM_OPERATION_TYPE_INVITE',
      'IAM_OPERATION_TYPE_REGENERATE_ACTIVATION',
    ])
    for (const { principal_id, resource_id, trace_id } of operations) {
      expect([principal_id, resource_id, trace_id]).toEqual([systemPrincipalId, user, ''])
    }
  })
})
