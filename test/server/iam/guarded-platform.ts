import { inspect } from 'node:util'
import { onTestFinished } from 'vitest'
import { Ninefold } from '../../../output/client.ts'
import type { InviteUserRequest } from '../../../output/iam/types.ts'
import { fetchHost } from '../../../runtime/hosts/fetch.ts'
import { createTransport } from '../../../runtime/transport.ts'
import type { AreaModule } from '../../../server/area.ts'
import { areas } from '../../../server/areas.ts'
import { compose } from '../../../server/compose.ts'
import type { Config } from '../../../server/config.ts'
import { storeCollections } from '../../../server/platform-store.ts'
import { administrator, administratorFile } from '../access/sign-in.ts'
import { testFolder, testStoreUrl, type Later } from '../store/harness.ts'
import { openQuickIam } from './quick-iam.ts'

export const baseUrl = 'http://platform.test'

/** The defaults of every created principal. */
export const password = 'quiet-harbour-lantern'

/** An id of the form of all others, which nothing has. */
export const absentId = '01900000-0000-7000-8000-0000000000ff'

/** Errors are shown with all that they have. */
const whole = { depth: null, maxArrayLength: null, maxStringLength: null, breakLength: Infinity }

/** A signed-in user. */
export interface Member {
  readonly id: string
  readonly email: string
  readonly token: string
  readonly refreshToken: string
  readonly sessionId: string
  readonly api: Ninefold
}

type Invitation = InviteUserRequest['body']

type Grant = NonNullable<Invitation['grants']>[number]

/** An organisation, a group in it, and a workspace in the group. */
export interface Tenant {
  readonly organisation: string
  readonly group: string
  readonly workspace: string
}

export type GuardedPlatform = Awaited<ReturnType<typeof guardedPlatform>>

/**
 * A platform that is guarded as `ninefold serve` guards it, with an administrator who has a password. It ends `later`,
 * by default with the running test, and has all areas of the server by default.
 */
export async function guardedPlatform(
  given: Partial<Config> = {},
  later: Later = onTestFinished,
  mounted: readonly AreaModule[] = areas,
) {
  const dataDir = given.dataDir ?? testFolder(later)
  const config: Config = {
    baseUrl,
    dataDir,
    http: { host: '127.0.0.1', port: 0, isPortOpen: false },
    bootstrap: { adminPasswordFile: administratorFile(dataDir) },
    ...(given.storeUrl === undefined && (await testStoreUrl(later, storeCollections(mounted)))),
    ...given,
  }
  const lines: string[] = []
  const line = (fields: object, message: string): void => void lines.push(`${message} ${inspect(fields, whole)}`)
  const platform = await compose(config, { debug: line, info: line, warn: line, error: line }, mounted, openQuickIam)
  later(() => platform.close())
  const host = fetchHost(platform.dispatch)
  /** Calls as a principal, from an address. */
  const from =
    (clientAddress: string): typeof fetch =>
    (input, init) =>
      host(new Request(input, init), { clientAddress })
  const as = (token?: string, clientAddress = '192.0.2.7'): Ninefold =>
    new Ninefold(
      createTransport({ baseUrl, retries: 0, fetch: from(clientAddress), ...(token !== undefined && { token }) }),
    )
  const signedIn = signingIn(as)
  return {
    config,
    /** The log. */
    lines,
    from,
    as,
    signedIn,
    admin: () => signedIn(administrator.email, administrator.password),
  }
}

/** The sign-in of callers, for calls with `as`. */
export const signingIn =
  (as: (token?: string) => Ninefold) =>
  async (email: string, words = password): Promise<Member> => {
    const answer = await as().iam.authenticate({ body: { email, password: words } })
    const { access_token: token, principal_id: id, refresh_token: refreshToken = '', token_id: sessionId } = answer
    return { id, email, token, refreshToken, sessionId, api: as(token) }
  }

/** Makes a user who has a password and signs in. */
export async function addMember(
  { as, signedIn }: Pick<GuardedPlatform, 'as' | 'signedIn'>,
  by: Ninefold,
  given: Omit<Invitation, 'delivery'>,
): Promise<Member> {
  const { credential } = await by.iam.inviteUser({ body: { ...given, delivery: 'RETURN' } })
  await as().iam.activateUser({ body: { token: credential?.token ?? '', password } })
  return signedIn(given.email)
}

export async function addTenant(by: Ninefold, name: string): Promise<Tenant> {
  const { resource_id: organisation } = await by.taxonomy.createOrganisation({ body: { name } })
  const { resource_id: group } = await by.taxonomy.createGroup({ organisation, body: { name: 'shop' } })
  const body = { name: 'web', parent_group_id: group }
  const { resource_id: workspace } = await by.taxonomy.createWorkspace({ organisation, body })
  return { organisation, group, workspace }
}

/** A role at a scope, as bindings and invitations say it. */
export const roleAt = (role_id: string, scope_type: Grant['scope_type'], scope_id: string): Grant => ({
  role_id,
  scope_type,
  scope_id,
})
