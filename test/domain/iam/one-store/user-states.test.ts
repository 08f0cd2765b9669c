import { describe, expect, it } from 'vitest'
import { principals } from '../../../../domain/iam/collections/principals-store.ts'
import type { PrincipalStatus } from '../../../../output/iam/types.ts'
import { testStore } from '../../../server/store/harness.ts'
import { goodPassword, invite, usersPlatform, type UsersPlatform } from '../users-platform.ts'
import { collections } from '../iam-environment.ts'
import { outcomeOf } from '../../outcomes.ts'

const otherPassword = 'seven-amber-windmills'

/** The status of a user, together with the way to this status if the status alone does not determine it. */
type Stand = 'INVITED' | 'ACTIVE' | 'RESET' | 'DEACTIVATED before ACTIVE' | 'DEACTIVATED' | 'DEACTIVATED after RESET'

interface Standing extends UsersPlatform {
  readonly id: string
  /** The activation token and the reset token of the user. */
  readonly activation: string
  readonly reset: string
}

async function standing(stand: Stand): Promise<Standing> {
  const platform = usersPlatform(await testStore(...collections))
  const { id, token: activation } = await invite(platform)
  let reset = `ct1.${'0'.repeat(43)}`
  if (stand !== 'INVITED' && stand !== 'DEACTIVATED before ACTIVE') {
    await platform.nobody.activateUser({ body: { token: activation, password: goodPassword } })
  }
  if (stand.includes('RESET')) reset = (await platform.as().resetUserPassword({ id, body: {} })).credential?.token ?? ''
  if (stand.startsWith('DEACTIVATED')) await platform.as().deactivateUser({ id, body: {} })
  platform.world.changes.length = 0
  platform.world.ended.length = 0
  return { ...platform, id, activation, reset }
}

const verbs = {
  regenerateActivation: ({ as, id }: Standing) => as().regenerateActivation({ id, body: {} }),
  activate: ({ activation: token, nobody }: Standing) =>
    nobody.activateUser({ body: { token, password: otherPassword } }),
  deactivate: ({ as, id }: Standing) => as().deactivateUser({ id, body: {} }),
  reactivate: ({ as, id }: Standing) => as().reactivateUser({ id, body: {} }),
  resetPassword: ({ as, id }: Standing) => as().resetUserPassword({ id, body: {} }),
  completePasswordReset: ({ nobody, reset: token }: Standing) =>
    nobody.completePasswordReset({ body: { token, password: otherPassword } }),
  changePassword: ({ as, id }: Standing) =>
    as(id).changeMyPassword({ body: { current_password: goodPassword, new_password: otherPassword } }),
} as const

type Verb = keyof typeof verbs

/**
 * The result of every verb in every status, keyed by status and verb: the next status, or the reason of the refusal
 * (iam.md 2).
 */
const table: Readonly<Record<Stand, Readonly<Record<Verb, PrincipalStatus | string>>>> = {
  INVITED: {
    regenerateActivation: 'INVITED',
    activate: 'ACTIVE',
    deactivate: 'DEACTIVATED',
    reactivate: 'USER_NOT_DEACTIVATED',
    resetPassword: 'USER_NOT_ACTIVE',
    completePasswordReset: 'CREDENTIAL_TOKEN_INVALID',
    changePassword: 'CURRENT_PASSWORD_MISMATCH',
  },
  ACTIVE: {
    regenerateActivation: 'USER_NOT_INVITED',
    activate: 'CREDENTIAL_TOKEN_INVALID',
    deactivate: 'DEACTIVATED',
    reactivate: 'USER_NOT_DEACTIVATED',
    resetPassword: 'ACTIVE',
    completePasswordReset: 'CREDENTIAL_TOKEN_INVALID',
    changePassword: 'ACTIVE',
  },
  RESET: {
    regenerateActivation: 'USER_NOT_INVITED',
    activate: 'CREDENTIAL_TOKEN_INVALID',
    deactivate: 'DEACTIVATED',
    reactivate: 'USER_NOT_DEACTIVATED',
    resetPassword: 'ACTIVE',
    completePasswordReset: 'ACTIVE',
    changePassword: 'CURRENT_PASSWORD_MISMATCH',
  },
  'DEACTIVATED before ACTIVE': {
    regenerateActivation: 'USER_NOT_INVITED',
    activate: 'CREDENTIAL_TOKEN_INVALID',
    deactivate: 'USER_ALREADY_DEACTIVATED',
    reactivate: 'INVITED',
    resetPassword: 'USER_NOT_ACTIVE',
    completePasswordReset: 'CREDENTIAL_TOKEN_INVALID',
    changePassword: 'CURRENT_PASSWORD_MISMATCH',
  },
  DEACTIVATED: {
    regenerateActivation: 'USER_NOT_INVITED',
    activate: 'CREDENTIAL_TOKEN_INVALID',
    deactivate: 'USER_ALREADY_DEACTIVATED',
    reactivate: 'ACTIVE',
    resetPassword: 'USER_NOT_ACTIVE',
    completePasswordReset: 'CREDENTIAL_TOKEN_INVALID',
    changePassword: 'TOKEN_REVOKED',
  },
  'DEACTIVATED after RESET': {
    regenerateActivation: 'USER_NOT_INVITED',
    activate: 'CREDENTIAL_TOKEN_INVALID',
    deactivate: 'USER_ALREADY_DEACTIVATED',
    reactivate: 'INVITED',
    resetPassword: 'USER_NOT_ACTIVE',
    completePasswordReset: 'CREDENTIAL_TOKEN_INVALID',
    changePassword: 'CURRENT_PASSWORD_MISMATCH',
  },
}

const isStatus = (outcome: string): boolean => ['INVITED', 'ACTIVE', 'DEACTIVATED'].includes(outcome)

const stands = Object.keys(table).filter((name): name is Stand => Object.hasOwn(table, name))
const names = Object.keys(verbs).filter((name): name is Verb => Object.hasOwn(verbs, name))

describe.each(stands)('a user that is %s', stand => {
  it.each(names.map(verb => [verb, table[stand][verb]] as const))('%s: %s', async (verb, outcome) => {
    const user = await standing(stand)
    const before = await user.as().getUser({ id: user.id })
    const reason = await outcomeOf(verbs[verb](user))
    expect(reason).toBe(isStatus(outcome) ? 'OK' : outcome)
    const after = await user.as().getUser({ id: user.id })
    expect(after.status).toBe(isStatus(outcome) ? outcome : before.status)
    if (reason !== 'OK') expect([after, user.world.changes, user.world.ended]).toEqual([before, [], []])
    const { status } = after
    expect((await user.parts.store.get(principals, user.id))?.value.status).toBe(status)
    expect(after.deactivate_time === undefined).toBe(status !== 'DEACTIVATED')
    expect(after.invited_by === '').toBe(status !== 'INVITED')
    if (status !== 'INVITED') expect(after).not.toHaveProperty('invite_expire_time')
    if (status !== before.status) expect(user.world.changes).toContain(`PRINCIPAL ${user.id}`)
  })
})

describe('administrators', () => {
  it.each(['deactivate', 'resetPassword'] as const)('cannot %s themselves', async verb => {
    const user = await standing('ACTIVE')
    const own = { ...user, as: () => user.as(user.id) }
    expect(await outcomeOf(verbs[verb](own))).toBe('CANNOT_TARGET_SELF')
  })

  it.each([
    ['regenerateActivation', 'INVITED'],
    ['deactivate', 'ACTIVE'],
    ['reactivate', 'DEACTIVATED'],
    ['resetPassword', 'ACTIVE'],
  ] as const)('cannot %s a user with more permissions', async (verb, stand) => {
    const user = await standing(stand)
    user.world.strong.add(user.id)
    expect(await outcomeOf(verbs[verb](user))).toBe('ESCALATION_DENIED')
  })

  it.each([
    ['regenerateActivation', 'INVITED'],
    ['deactivate', 'ACTIVE'],
    ['reactivate', 'DEACTIVATED'],
    ['resetPassword', 'ACTIVE'],
  ] as const)('cannot %s with a stale etag', async (verb, stand) => {
    const { as, id } = await standing(stand)
    const request = { id, body: { etag: 'stale' } }
    const client = as()
    const calls = {
      regenerateActivation: () => client.regenerateActivation(request),
      deactivate: () => client.deactivateUser(request),
      reactivate: () => client.reactivateUser(request),
      resetPassword: () => client.resetUserPassword(request),
    }
    expect(await outcomeOf(calls[verb]())).toBe('ETAG_MISMATCH')
  })

  it('do not deactivate the last administrator', async () => {
    const user = await standing('ACTIVE')
    user.world.lastAdministrators.add(user.id)
    expect(await outcomeOf(verbs.deactivate(user))).not.toBe('OK')
    expect(await user.as().getUser({ id: user.id })).toMatchObject({ status: 'ACTIVE' })
  })
})

it.each([
  ['deactivate', 'USER_DEACTIVATED'],
  ['resetPassword', 'PASSWORD_RESET'],
] as const)('%s ends all sessions', async (verb, reason) => {
  const user = await standing('ACTIVE')
  await verbs[verb](user)
  expect(user.world.ended).toEqual([`${reason} ${user.id}`])
})
