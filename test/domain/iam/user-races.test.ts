import { expect, it } from 'vitest'
import { credentialTokens } from '../../../domain/iam/collections/credential-tokens-store.ts'
import { users } from '../../../domain/iam/collections/users-store.ts'
import { preparedPlace, storeAt } from '../../server/store/harness.ts'
import { goodPassword, invite, organisation, usersPlatform, World, type UsersPlatform } from './users-platform.ts'
import { collections } from './iam-environment.ts'
import { outcomeOf } from '../outcomes.ts'

const rounds = 6

/** Opens two servers on one store. */
async function servers(): Promise<readonly [UsersPlatform, UsersPlatform]> {
  const place = await preparedPlace(collections)
  const world = new World()
  return [
    usersPlatform(await storeAt(place, ...collections), world),
    usersPlatform(await storeAt(place, ...collections), world),
  ]
}

const outcomes = async (...calls: readonly Promise<unknown>[]): Promise<readonly string[]> =>
  (await Promise.all(calls.map(outcomeOf))).toSorted()

it('a token is spent once, however many calls use it concurrently', async () => {
  const [one, other] = await servers()
  for (let round = 0; round < rounds; round += 1) {
    const { id, token } = await invite(one, `u${round}@acme.example`)
    const activate = ({ nobody }: UsersPlatform, password: string) => nobody.activateUser({ body: { token, password } })
    const told = await outcomes(
      activate(one, goodPassword),
      activate(other, 'seven-amber-windmills'),
      activate(one, 'eight-amber-windmills'),
    )
    expect(told).toEqual(['CREDENTIAL_TOKEN_INVALID', 'CREDENTIAL_TOKEN_INVALID', 'OK'])
    expect((await one.parts.store.get(users, id))?.value.status).toBe('ACTIVE')
  }
})

it('a user who is activated and deactivated concurrently stays deactivated', async () => {
  const [one, other] = await servers()
  for (let round = 0; round < rounds; round += 1) {
    const { id, token } = await invite(one, `u${round}@acme.example`)
    const [activated, deactivated] = await Promise.all([
      outcomeOf(one.nobody.activateUser({ body: { token, password: goodPassword } })),
      outcomeOf(other.as().deactivateUser({ id, body: {} })),
    ])
    expect(deactivated).toBe('OK')
    expect(['OK', 'CREDENTIAL_TOKEN_INVALID']).toContain(activated)
    expect((await one.parts.store.get(users, id))?.value.status).toBe('DEACTIVATED')
  }
})

it('one of several tokens that are issued concurrently stays valid', async () => {
  const [one, other] = await servers()
  for (let round = 0; round < rounds; round += 1) {
    const { id } = await invite(one, `u${round}@acme.example`)
    const mint = ({ as }: UsersPlatform) => as().regenerateActivation({ id, body: {} })
    const minted = await Promise.all([mint(one), mint(other), mint(one), mint(other)])
    expect(await one.parts.store.count(credentialTokens, { user_id: id, status: 'LIVE' })).toBe(1)
    const told = await outcomes(
      ...minted.map(({ credential }) => one.nobody.lookupCredentialToken({ body: { token: credential?.token ?? '' } })),
    )
    expect(told.filter(outcome => outcome === 'OK')).toHaveLength(1)
  }
})

it('one of several users who request an address concurrently gets it', async () => {
  const [one, other] = await servers()
  for (let round = 0; round < rounds; round += 1) {
    const body = { email: `u${round}@acme.example`, organisation_id: organisation }
    const told = await outcomes(
      one.as().inviteUser({ body }),
      other.as().inviteUser({ body: { ...body, email: body.email.toUpperCase() } }),
    )
    expect(told).toEqual(['OK', 'USER_ALREADY_EXISTS'])
  }
})
