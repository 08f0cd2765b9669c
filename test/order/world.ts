import { computeSettings } from '../../server/compute/settings.ts'
import { iamSettings } from '../../server/iam/settings.ts'
import { GivenSettings } from '../../server/settings/values.ts'
import { generateKeyPairSync } from 'node:crypto'
import { SignJWT } from 'jose'
import { addAccountKey, createServiceAccount } from '../../domain/iam/service-accounts/account-keys.ts'
import { platformWorkspaceId } from '../../domain/ports/reserved.ts'
import type { Store } from '../../domain/ports/store.ts'
import { areas } from '../../server/areas.ts'
import { asHost } from '../../server/iam/host.ts'
import { storeCollections } from '../../server/platform-store.ts'
import { addMember, type Member } from '../areas/members.ts'
import { baseUrl } from '../areas/open-platform.ts'
import { testPlatform, type TestPlatform } from '../areas/test-platform.ts'
import type { Later } from '../server/store/harness.ts'
import { openBeside } from '../server/store/left-place.ts'
import type { Aim, Caller } from './aim.ts'
import type { Mutation } from './operations.ts'
import { call } from './call.ts'

/** A workspace directly below its organisation. */
export interface Place {
  readonly organisation: string
  readonly workspace: string
}

/** The platform under test, with its callers, and the functions by which recipes create resources. */
export interface World {
  /** A second store on the same data, for rows that no call creates quickly. */
  readonly store: Store
  readonly platform: TestPlatform
  /** A member with every permission. */
  readonly admin: Member
  /** A signed-in caller without permissions. */
  readonly nobody: Caller
  /** A caller without permissions whose token is revoked. */
  readonly gone: Caller
  /** A service account without permissions. */
  readonly program: Caller
  /** A workspace that no test changes. */
  readonly place: Place
  /** Returns a name that no resource has. */
  newName(): string
  newOrganisation(): Promise<string>
  /**
   * Calls a mutation, as the administrator unless `aim` names another caller; returns the id of the resource. The
   * default body is an empty object. Throws if the call fails.
   */
  run(operationId: string, aim?: Partial<Aim>): Promise<string>
  /** Creates a workspace directly below an organisation, by default below a new organisation. */
  newPlace(organisation?: string): Promise<Place>
  /** Suspends a workspace that `newPlace` has created. */
  suspend(workspace: string): Promise<void>
  /** Creates a user with a password and a session, without permissions. */
  newMember(organisation?: string): Promise<Member>
}

/** Opens a platform with iam in this process; `later` closes the platform. */
export async function openWorld(later: Later, mutations: readonly Mutation[]): Promise<World> {
  // The throttle is off, because many calls have wrong tokens and passwords; simulated machines take no time.
  const given = new GivenSettings()
  for (const bound of Object.values(iamSettings)) given.with(bound, 0)
  given.with(computeSettings['compute.sim_time_scale'], 0)
  const platform = await testPlatform({ config: { given }, later })
  const store = await openBeside(platform.config, storeCollections(areas))
  later(() => store.close())
  const admin = await platform.admin()
  const makers = makersOf(platform, admin)
  const operations = new Map(
    mutations.flatMap(({ area, operation }) => [
      [operation.id, operation] as const,
      // Several areas have operations with the same id, so the key begins with the area.
      [`${area}.${operation.id}`, operation] as const,
    ]),
  )
  const run: World['run'] = async (operationId, aim = {}) => {
    const operation = operations.get(operationId)
    if (operation === undefined) throw new Error(`there is no mutation "${operationId}"`)
    const body = operation.body && (aim.body ?? {})
    const { id = '', outcome } = await call(platform, operation, { caller: admin, path: {}, query: {}, ...aim, body })
    if (outcome !== 'OK') throw new Error(`${operationId} is needed, and answers ${outcome}`)
    return id
  }
  const gone = await makers.newMember()
  await gone.api.iam.revokeToken({ body: { principal_id: gone.id } })
  const nobody = await makers.newMember()
  const program = await programOn(platform)
  return { run, store, platform, admin, nobody, gone, program, place: await makers.newPlace(), ...makers }
}

function makersOf(platform: TestPlatform, { api }: Member) {
  let names = 0
  const organisations = new Map<string, string>()
  const newName = (): string => `thing-${(names += 1)}`
  const newOrganisation = async (): Promise<string> =>
    (await api.taxonomy.createOrganisation({ body: { name: newName() } })).resource_id
  return {
    newName,
    newOrganisation,
    async newPlace(below?: string): Promise<Place> {
      const organisation = below ?? (await newOrganisation())
      const { resource_id } = await api.taxonomy.createWorkspace({ organisation, body: { name: newName() } })
      organisations.set(resource_id, organisation)
      return { organisation, workspace: resource_id }
    },
    async suspend(id: string): Promise<void> {
      await api.taxonomy.suspendWorkspace({ organisation: organisations.get(id) ?? '', id, body: {} })
    },
    newMember: (organisation_id = ''): Promise<Member> =>
      addMember(platform, api, { email: `${newName()}@order.example`, organisation_id }),
  }
}

/** Creates a service account as `ninefold iam service-accounts` does, and signs in with its key. */
async function programOn({ as, config }: TestPlatform): Promise<Caller> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const { id, kid } = await asHost(config, areas, async parts => {
    const id = await createServiceAccount(parts, { workspace: platformWorkspaceId, name: 'order' })
    return { id, kid: await addAccountKey(parts, id, { publicKey: pem }) }
  })
  const iat = Math.floor(Date.now() / 1000)
  const claims = { iss: id, sub: id, aud: `${baseUrl}/iam/v1/tokens:refresh`, iat, exp: iat + 60, jti: 'order' }
  const assertion = await new SignJWT(claims).setProtectedHeader({ alg: 'EdDSA', kid }).sign(privateKey)
  const { access_token } = await as().iam.refreshToken({ body: { assertion } })
  return { id, token: access_token }
}
