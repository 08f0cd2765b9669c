import { pngOf, usual } from '../../../domain/iam/pictures.ts'
import { absentId, password } from '../../../areas/members.ts'
import { withBody, type Aim } from '../../aim.ts'
import type { Fault, Recipe } from '../../recipe.ts'
import type { World } from '../../world.ts'

/** The fault that a service account calls an operation for users. */
const callerNotAUser: Fault = {
  reason: 'CALLER_NOT_A_USER',
  apply: (aim, { program }) => ({ ...aim, caller: program }),
}

/** The pair of faults that no call of a service account can have, with the reason. */
const neverSucceeded = {
  'idempotency>existence of user': 'no call of a service account succeeds here, so that it has used no key',
} as const

const picture = { content_type: 'image/png', data: pngOf(usual).toString('base64') }

const newPassword = 'another-quiet-harbour'

const wrongPassword: Fault = {
  reason: 'PASSWORD_TOO_WEAK',
  apply: aim => withBody(aim, { password: 'too-short' }),
}

const absentToken: Fault = {
  reason: 'CREDENTIAL_TOKEN_INVALID',
  apply: aim => withBody(aim, { token: `ct1.${'A'.repeat(43)}` }),
}

/** Makes a recipe of an anonymous call with a credential token. */
const withToken = (tokenOf: (world: World) => Promise<string | undefined>): Recipe => ({
  aim: async world => ({ caller: undefined, body: { token: (await tokenOf(world)) ?? '', password: newPassword } }),
  faults: { 'existence of token': absentToken, state: wrongPassword },
})

const own = (body: Aim['body'], prepare?: (world: World, aim: Partial<Aim>) => Promise<unknown>): Recipe['aim'] => {
  return async world => {
    const aim = { caller: await world.newMember(), body }
    await prepare?.(world, aim)
    return aim
  }
}

/** The recipes of users' calls on their own accounts, and of calls that end tokens, keyed by operationId. */
export const accountRecipes: Readonly<Record<string, Recipe>> = {
  updateMyProfile: {
    aim: own({ display_name: 'Kim' }),
    faults: { 'existence of user': callerNotAUser },
    atOdds: neverSucceeded,
  },
  setMyAvatar: {
    aim: own(picture),
    faults: {
      rule: { reason: 'AVATAR_TYPE_MISMATCH', apply: aim => withBody(aim, { content_type: 'image/jpeg' }) },
      'existence of user': callerNotAUser,
    },
    atOdds: neverSucceeded,
  },
  deleteMyAvatar: {
    aim: own(undefined, (world, { caller }) => world.run('setMyAvatar', { caller, body: picture })),
    faults: {
      'existence of user': callerNotAUser,
      'existence of avatar': {
        reason: 'AVATAR_NOT_FOUND',
        async apply(aim, { run }) {
          await run('deleteMyAvatar', { caller: aim.caller })
          return aim
        },
      },
    },
    atOdds: {
      ...neverSucceeded,
      'existence of user>existence of avatar': 'a service account has no picture that could be absent or not',
    },
  },
  changeMyPassword: {
    aim: own({ current_password: password, new_password: newPassword }),
    faults: {
      'existence of user': callerNotAUser,
      state: {
        reason: 'CURRENT_PASSWORD_MISMATCH',
        apply: aim => withBody(aim, { current_password: 'not-the-quiet-harbour' }),
      },
    },
    atOdds: neverSucceeded,
  },
  activateUser: withToken(async ({ admin: { api }, newName }) => {
    const { credential } = await api.iam.inviteUser({ body: { email: `${newName()}@order.example` } })
    return credential?.token
  }),
  completePasswordReset: withToken(async ({ admin: { api }, newMember }) => {
    const { credential } = await api.iam.resetUserPassword({ id: (await newMember()).id, body: {} })
    return credential?.token
  }),
  revokeToken: {
    aim: async ({ newMember }) => ({ body: { token_id: (await newMember()).sessionId } }),
    faults: { reference: { reason: 'TOKEN_NOT_FOUND', apply: aim => withBody(aim, { token_id: absentId }) } },
  },
}
