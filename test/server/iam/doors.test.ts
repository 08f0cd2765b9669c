import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AccessTokens } from '../../../domain/iam/sessions/access-tokens.ts'
import { predefinedRoles } from '../../../domain/iam/roles/predefined-roles.ts'
import { SigningKeys } from '../../../domain/iam/sessions/signing-keys.ts'
import type { Route } from '../../../runtime/route.ts'
import { catalogue } from '../../../server/access/catalogue.ts'
import { areas } from '../../../server/areas.ts'
import { createClock } from '../../../server/clock.ts'
import { storeCollections } from '../../../server/platform-store.ts'
import { openBeside } from '../store/left-place.ts'
import { allRoutes } from './all-routes.ts'
import { absentId, addMember, addTenant, roleAt, type Member } from '../../areas/members.ts'
import { baseUrl } from '../../areas/open-platform.ts'
import { testPlatform } from '../../areas/test-platform.ts'

const undo: (() => void | Promise<void>)[] = []

afterAll(async () => {
  for (const each of undo.toReversed()) await each()
})

let fetched: typeof fetch
let workspace = ''
let organisation = ''
let viewer: Member
let stranger: Member
let revoked = ''
let expired = ''

beforeAll(async () => {
  const later = (each: () => void | Promise<void>): void => void undo.push(each)
  const platform = await testPlatform({ later })
  fetched = platform.from('192.0.2.7')
  const { api: admin } = await platform.admin()
  const viewerOf = (id: string, email: string): Promise<Member> =>
    addMember(platform, admin, { email, grants: [roleAt('workspace-viewer', 'WORKSPACE', id)] })
  ;({ organisation, workspace } = await addTenant(admin, 'acme'))
  const other = await addTenant(admin, 'umbrella')
  viewer = await viewerOf(workspace, 'viewer@acme.example')
  stranger = await viewerOf(other.workspace, 'stranger@umbrella.example')
  const gone = await viewerOf(workspace, 'gone@acme.example')
  await gone.api.iam.revokeToken({ body: { principal_id: gone.id } })
  revoked = gone.token
  // A second server on the same store signs a token that has already expired.
  const store = await openBeside(platform.config, storeCollections(areas))
  later(() => store.close())
  const clock = createClock(() => Date.now())
  const tokens = new AccessTokens(new SigningKeys({ store, clock }), { baseUrl })
  await tokens.ready()
  const subject = { principalId: viewer.id, kind: 'USER', sessionId: clock.newId() } as const
  expired = tokens.mint(subject, clock.now() - 3_600_000)
}, 120_000)

const fillers: Readonly<Record<string, () => string>> = {
  workspace: () => workspace,
  organisation: () => organisation,
  scope_type: () => 'WORKSPACE',
  scope_id: () => workspace,
  engine: () => 'native',
}

/**
 * Returns the path of a route with the viewer's workspace and organisation, and with absent ids for all other
 * parameters.
 */
const pathOf = ({ path }: Route<unknown, unknown>): string =>
  path.map((part, i) => (i % 2 === 0 ? part : (fillers[part]?.() ?? absentId))).join('')

interface Answered {
  readonly status: number
  readonly reason: string | undefined
  readonly metadata: Readonly<Record<string, string>> | undefined
}

async function call(route: Route<unknown, unknown>, authorization: string | undefined): Promise<Answered> {
  const hasBody = route.body !== undefined
  const answer = await fetched(baseUrl + pathOf(route), {
    method: route.method,
    headers: {
      ...(authorization !== undefined && { authorization }),
      ...(hasBody && { 'content-type': 'application/json' }),
    },
    ...(hasBody && { body: bodyOf(route) }),
  })
  const text = await answer.text()
  const { details: [info] = [] }: { details?: { reason: string; metadata: Record<string, string> }[] } =
    answer.status >= 400 && text !== '' ? JSON.parse(text) : {}
  return { status: answer.status, reason: info?.reason, metadata: info?.metadata }
}

/** Returns a JSON body with the members that the authorization of the operation reads, or an empty object. */
const bodyOf = ({ operationId }: Route<unknown, unknown>): string =>
  JSON.stringify(
    {
      createBinding: { scope_type: 'WORKSPACE', scope_id: workspace },
      createRole: { scope_type: 'ORGANISATION', scope_id: organisation },
      inviteUser: { organisation_id: organisation },
      revokeToken: { principal_id: absentId },
    }[operationId] ?? {},
  )

const routes = allRoutes()

/** Returns true if a route needs no permission, or if it admits every caller to the caller's own resources. */
const isOpen = ({ access }: Route<unknown, unknown>): boolean => access?.kind !== 'permission' || access.own === true

const viewerRole = predefinedRoles.find(({ name }) => name === 'workspace-viewer')

const isHeldByViewers = (key: string): boolean => {
  const permission = catalogue.find(key)
  return permission !== undefined && viewerRole?.holds(permission) === true
}

/** Returns true if a viewer of the workspace may call a route there. */
function isForViewers(route: Route<unknown, unknown>): boolean {
  const { access } = route
  if (access?.kind !== 'permission') return true
  if (route.operationId === 'listRoles') return true
  return isHeldByViewers(access.key) && (access.scope === 'filtered' || pathOf(route).includes(workspace))
}

it('every operation has a door', () => {
  expect(routes).toHaveLength(357)
  expect(routes.filter(({ access }) => access === undefined)).toEqual([])
})

describe.each(routes.map(route => [route.operationId, route] as const))('%s', (_, route) => {
  const { access } = route
  const isOptional = (access?.kind === 'public' || access?.kind === 'permission') && access.bearerOptional === true
  const isPublic = access?.kind === 'public' && !isOptional

  it('admits no caller without a valid token', async () => {
    const bearers = [`Bearer ${expired}`, `Bearer ${revoked}`, 'Bearer garbage', `Basic ${viewer.token}`]
    const answers = await Promise.all([undefined, ...bearers].map(bearer => call(route, bearer)))
    const reasons = answers.map(({ reason }) => reason)
    if (isPublic) expect(reasons.filter(reason => reason?.startsWith('TOKEN_'))).toEqual([])
    else {
      const [missing, ...others] = reasons
      if (!isOptional) expect(missing).toBe('TOKEN_MISSING')
      expect(others).toEqual(['TOKEN_EXPIRED', 'TOKEN_REVOKED', 'TOKEN_INVALID', 'TOKEN_INVALID'])
      expect(answers.map(({ status }) => status).slice(1)).toEqual([401, 401, 401, 401])
    }
  })

  it('reports only a missing permission to callers of another tenant', async () => {
    const { metadata, reason, status } = await call(route, `Bearer ${stranger.token}`)
    if (access?.kind !== 'permission' || isOpen(route) || isOpenElsewhere(route)) {
      expect(status).not.toBe(401)
      return
    }
    expect([status, reason, metadata?.['permission']]).toEqual([403, 'IAM_PERMISSION_DENIED', access.key])
    expect(Object.keys(metadata ?? {}).sort()).toEqual(['code', 'permission', 'scope_id', 'scope_type'])
  })

  it('lets viewers of the workspace read its configuration, and do nothing else', async () => {
    const { metadata, reason, status } = await call(route, `Bearer ${viewer.token}`)
    if (access?.kind !== 'permission' || isOpen(route) || isForViewers(route)) {
      const isLetIn = access?.kind !== 'permission' || isOpen(route)
      expect(reason ?? '').not.toMatch(isLetIn ? /^TOKEN_/ : /^TOKEN_|^IAM_PERMISSION_DENIED$/)
      return
    }
    expect([status, reason, metadata?.['permission']]).toEqual([403, 'IAM_PERMISSION_DENIED', access.key])
  })
})

/** Returns true if a route lists the rows that the caller may see, here the rows of the viewer's own workspace. */
function isOpenElsewhere({ access, operationId, path }: Route<unknown, unknown>): boolean {
  if (operationId === 'listRoles') return true
  if (access?.kind !== 'permission' || access.scope !== 'filtered') return false
  return isHeldByViewers(access.key) && !path.includes('organisation')
}
