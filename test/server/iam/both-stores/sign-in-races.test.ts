import { afterAll, beforeAll, expect, it } from 'vitest'
import { ApiError } from '../../../../runtime/errors.ts'
import { addMember, password, type Member } from '../../../areas/members.ts'
import { testPlatform, type TestPlatform } from '../../../areas/test-platform.ts'
import { unthrottled } from '../unthrottled.ts'

const rounds = 4

let undo: (() => void | Promise<void>)[] = []
let platform: TestPlatform
let ada: Member
let members = 0

beforeAll(async () => {
  platform = await testPlatform({ config: { given: unthrottled }, later: later => void undo.push(later) })
  ada = await platform.admin()
}, 120_000)

afterAll(async () => {
  for (const each of undo.toReversed()) await each()
  undo = []
})

/** Returns the access token of a call, or undefined if the call is refused. */
async function admitted(call: Promise<{ readonly access_token: string }>): Promise<string | undefined> {
  try {
    return (await call).access_token
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}

/**
 * Starts, concurrently, the calls by which a user gets tokens. Each promise resolves with the access token, or with
 * undefined if the call is refused.
 */
const comeIn = ({ email, refreshToken }: Member, words = password): Promise<string | undefined>[] => {
  const { iam } = platform.as()
  return [
    admitted(iam.authenticate({ body: { email, password: words } })),
    admitted(iam.refreshToken({ body: { refresh_token: refreshToken } })),
    admitted(iam.authenticate({ body: { email, password: words } })),
  ]
}

/** The calls that end all sessions of a user. */
const ends: readonly [name: string, end: (of: Member) => Promise<unknown>][] = [
  ['a reset of the password', ({ id }) => ada.api.iam.resetUserPassword({ id, body: {} })],
  ['a deactivation', ({ id }) => ada.api.iam.deactivateUser({ id, body: {} })],
]

it.each(ends)(
  '%s leaves no session, however many sign-ins run concurrently',
  async (_, end) => {
    for (let round = 0; round < rounds; round += 1) {
      const mal = await addMember(platform, ada.api, { email: `mal-${(members += 1)}@acme.example` })
      // The sign-ins begin before the end in every other round, so that each side is sometimes first.
      const before = round % 2 === 0 ? comeIn(mal) : []
      const ending = end(mal)
      const tokens = await Promise.all([...before, ...(round % 2 === 0 ? [] : comeIn(mal))])
      await ending
      for (const token of [mal.token, ...tokens.filter(each => each !== undefined)]) {
        await expect(platform.as(token).iam.getMyProfile({})).rejects.toMatchObject({ reason: 'TOKEN_REVOKED' })
      }
      const filter = `principal_id = "${mal.id}" AND status = ACTIVE`
      expect((await ada.api.iam.listTokens({ filter })).tokens).toEqual([])
    }
  },
  180_000,
)

it('a change of the password keeps the session that made it, and no session of the old password', async () => {
  for (let round = 0; round < rounds; round += 1) {
    const mal = await addMember(platform, ada.api, { email: `mal-${(members += 1)}@acme.example` })
    const body = { current_password: password, new_password: 'another-harbour-lantern' }
    const [changed, ...tokens] = await Promise.all([mal.api.iam.changeMyPassword({ body }), ...comeIn(mal).slice(0, 1)])
    expect(changed.status).toBe('IAM_OPERATION_STATUS_DONE')
    for (const token of tokens.filter(each => each !== undefined)) {
      await expect(platform.as(token).iam.getMyProfile({})).rejects.toMatchObject({ reason: 'TOKEN_REVOKED' })
    }
    expect((await mal.api.iam.getMyProfile({})).email).toBe(mal.email)
    await expect(platform.signedIn(mal.email)).rejects.toMatchObject({ reason: 'INVALID_CREDENTIALS' })
  }
}, 180_000)

it('a token activates an account for one of several concurrent calls', async () => {
  for (let round = 0; round < rounds; round += 1) {
    const email = `new-${(members += 1)}@acme.example`
    const { credential } = await ada.api.iam.inviteUser({ body: { email, delivery: 'RETURN' } })
    const words = ['quiet-harbour-one', 'quiet-harbour-two', 'quiet-harbour-three']
    const token = credential?.token ?? ''
    const results = await Promise.allSettled(
      words.map(each => platform.as().iam.activateUser({ body: { token, password: each } })),
    )
    const won = words.filter((_, i) => results[i]?.status === 'fulfilled')
    expect(won).toHaveLength(1)
    for (const each of words) {
      const isIn = (await admitted(platform.as().iam.authenticate({ body: { email, password: each } }))) !== undefined
      expect(isIn).toBe(each === won[0])
    }
  }
}, 180_000)
