import type { Ninefold } from '../../output/client.ts'
import type { InviteUserRequest } from '../../output/iam/types.ts'

/** The password of every user that tests create. */
export const password = 'quiet-harbour-lantern'

/** A well-formed id that no resource has. */
export const absentId = '01900000-0000-7000-8000-0000000000ff'

/** A signed-in user. */
export interface Member {
  readonly id: string
  readonly email: string
  readonly token: string
  readonly refreshToken: string
  readonly sessionId: string
  readonly api: Ninefold
}

/** An organisation, a group in it, and a workspace in the group. */
export interface Tenant {
  readonly organisation: string
  readonly group: string
  readonly workspace: string
}

type Invitation = InviteUserRequest['body']

type Grant = NonNullable<Invitation['grants']>[number]

/** The functions that make clients of a platform. */
export interface Clients {
  /** Makes clients of all areas for an access token; without a token, the calls are anonymous. */
  as(token?: string): Ninefold
  /**
   * Signs a user in with the password `words`, by default the shared `password`; returns the user with the tokens and a
   * client.
   */
  signedIn(email: string, words?: string): Promise<Member>
}

/** Returns a function that signs users in through the clients that `as` makes. */
export const signingIn =
  (as: (token?: string) => Ninefold) =>
  async (email: string, words = password): Promise<Member> => {
    const answer = await as().iam.authenticate({ body: { email, password: words } })
    const { access_token: token, principal_id: id, refresh_token: refreshToken = '', token_id: sessionId } = answer
    return { id, email, token, refreshToken, sessionId, api: as(token) }
  }

/** Creates an organisation with a group, and a workspace in the group; returns the ids. */
export async function addTenant(by: Ninefold, name: string): Promise<Tenant> {
  const { resource_id: organisation } = await by.taxonomy.createOrganisation({ body: { name } })
  const { resource_id: group } = await by.taxonomy.createGroup({ organisation, body: { name: 'shop' } })
  const body = { name: 'web', parent_group_id: group }
  const { resource_id: workspace } = await by.taxonomy.createWorkspace({ organisation, body })
  return { organisation, group, workspace }
}

/**
 * Invites a user, activates the user with the shared password, and signs the user in; returns the user with the tokens
 * and a client.
 */
export async function addMember(
  { as, signedIn }: Clients,
  by: Ninefold,
  given: Omit<Invitation, 'delivery'>,
): Promise<Member> {
  const { credential } = await by.iam.inviteUser({ body: { ...given, delivery: 'RETURN' } })
  await as().iam.activateUser({ body: { token: credential?.token ?? '', password } })
  return signedIn(given.email)
}

/** Returns a role at a scope, in the form of bindings and invitations. */
export const roleAt = (role_id: string, scope_type: Grant['scope_type'], scope_id: string): Grant => ({
  role_id,
  scope_type,
  scope_id,
})
