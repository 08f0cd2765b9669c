import { expect, it } from 'vitest'
import type { Collection } from '../../../../domain/ports/store.ts'
import type { AccessSources } from '../../../../server/access/platform-access.ts'
import { areas } from '../../../../server/areas.ts'
import { outbox, type OutboxRow } from '../../../../domain/resources/activity-outbox.ts'
import { activityCollection, chainCollection } from '../../../../domain/observability/activities/activities-store.ts'
import { storeCollections } from '../../../../server/platform-store.ts'
import { absentId, addMember, password } from '../../../areas/members.ts'
import { baseUrl } from '../../../areas/open-platform.ts'
import { testPlatform, type TestPlatform, type TestPlatformOptions } from '../../../areas/test-platform.ts'
import { outcomeOf } from '../../../domain/outcomes.ts'
import { allRoutes } from '../all-routes.ts'
import { openQuickIam } from '../quick-iam.ts'
import { unthrottled } from '../unthrottled.ts'
import { activitiesIn } from '../../../areas/activities.ts'
import { pathTemplate } from '../../../../runtime/routing.ts'

/** Opens a platform, and returns the sources of its access control too, with the store. */
async function opened(options: TestPlatformOptions = {}): Promise<{ platform: TestPlatform; sources: AccessSources }> {
  const given: AccessSources[] = []
  const platform = await testPlatform({
    ...options,
    openAccess(sources) {
      given.push(sources)
      return openQuickIam(sources)
    },
  })
  const [sources] = given
  if (sources === undefined) throw new Error('the platform has not opened its access control')
  return { platform, sources }
}

/** The collections but those between which the sequencer moves activities during a test. */
const settled: readonly Collection<never>[] = storeCollections(areas).filter(
  ({ name }) => ![outbox, activityCollection, chainCollection].some(moving => moving.name === name),
)

async function rowsOf({ store }: AccessSources): Promise<number> {
  const counts = await Promise.all(settled.map(collection => store.count(collection)))
  return counts.reduce((sum, count) => sum + count, (await activitiesIn(store)).length)
}

async function refusalsOf({ store }: AccessSources, category: string): Promise<OutboxRow[]> {
  const rows = await activitiesIn(store)
  return rows.filter(row => row.category === category && row.outcome === 'DENIED')
}

it('a token that is unknown or has ended is revoked without a stored row, and at most 20 times a minute', async () => {
  const { platform, sources } = await opened()
  const { sessionId, token } = await platform.admin()
  const { api } = await platform.admin()
  await api.iam.revokeToken({ body: { token_id: sessionId } })
  // The first refused call makes the row of the throttle.
  const revoke = (given: string, address: string): Promise<string> =>
    outcomeOf(platform.as(undefined, address).iam.revokeToken({ body: { token: given } }))
  expect(await revoke('rubbish', '198.51.100.1')).toBe('OK')
  const before = await rowsOf(sources)
  const outcomes: string[] = []
  for (let i = 0; i < 40; i += 1) outcomes.push(await revoke(i % 2 === 0 ? `rubbish-${i}` : token, '198.51.100.1'))
  expect(outcomes.filter(outcome => outcome === 'OK')).toHaveLength(19)
  expect(outcomes.filter(outcome => outcome === 'AUTHENTICATION_THROTTLED')).toHaveLength(21)
  expect(await rowsOf(sources)).toBe(before)
  expect(sources.meters.unknownTokens).toBe(41)
  // Valid tokens of the same network can be revoked at any time.
  const other = await platform.admin()
  expect(await revoke(other.token, '198.51.100.1')).toBe('OK')
  expect(await outcomeOf(other.api.iam.getMyProfile({}))).toBe('TOKEN_REVOKED')
})

it('a signed-in caller gets the recorded operation for a retry, although the token has ended', async () => {
  const { platform } = await opened()
  const { api } = await platform.admin()
  const other = await platform.admin()
  const headers = { 'idempotency-key': 'k-1' }
  const first = await api.iam.revokeToken({ body: { token: other.refreshToken } }, { headers })
  const again = await api.iam.revokeToken({ body: { token: other.refreshToken } }, { headers })
  expect(again).toEqual(first)
})

it('calls without a caller cannot fill the store', async () => {
  const { platform, sources } = await opened()
  const { email } = await platform.admin()
  const routes = allRoutes().filter(({ access, domain, operationId }) => {
    return domain.name === 'iam' && (access?.kind === 'public' || operationId === 'revokeToken')
  })
  expect(routes.map(({ operationId }) => operationId)).toHaveLength(6)
  const bodies: readonly object[] = [
    { token: 'ct1.rubbish' },
    { token: 'ct1.rubbish', password },
    { email, password: 'not-the-password' },
    { refresh_token: `rt1.${absentId}.${'A'.repeat(43)}` },
    { assertion: 'a.b.c' },
    {},
  ]
  const before = await rowsOf(sources)
  for (let i = 0; i < 15; i += 1) {
    for (const { method, path } of routes) {
      for (const body of bodies) {
        await platform.from('198.51.100.1')(`${baseUrl}${pathTemplate(path)}`, {
          method,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
      }
    }
  }
  expect((await rowsOf(sources)) - before).toBeLessThan(25)
})

it('of the refusals of a caller, 60 a minute are recorded one by one, and the others as one count', async () => {
  const { platform, sources } = await opened()
  const { api } = await platform.admin()
  const kim = await addMember(platform, api, { email: 'kim@example.test' })
  for (let i = 0; i < 100; i += 1) {
    const call = i % 2 === 0 ? kim.api.iam.getUser({ id: absentId }) : kim.api.taxonomy.listOrganisations({})
    expect(await outcomeOf(call)).toBe('IAM_PERMISSION_DENIED')
  }
  expect(await refusalsOf(sources, 'ACCESS_DENIED')).toHaveLength(60)
  await platform.close()
  const { dataDir, storeUrl } = platform.config
  const { sources: later } = await opened({ config: { dataDir, ...(storeUrl !== undefined && { storeUrl }) } })
  const rows = await refusalsOf(later, 'ACCESS_DENIED')
  expect(rows).toHaveLength(61)
  expect(rows.find(({ count }) => count !== undefined)).toMatchObject({
    principal_id: kim.id,
    reason: 'IAM_PERMISSION_DENIED',
    action: '',
    scope_type: 'PLATFORM',
    count: 40,
  })
})

it('failed sign-ins of a user are recorded one by one up to 60 a minute, without any throttle', async () => {
  const { platform, sources } = await opened({ config: { given: unthrottled } })
  const { email, id } = await platform.admin()
  for (let i = 0; i < 80; i += 1) {
    const signIn = platform.as().iam.authenticate({ body: { email, password: 'not-the-password' } })
    expect(await outcomeOf(signIn)).toBe('INVALID_CREDENTIALS')
  }
  const rows = await refusalsOf(sources, 'AUTHENTICATION')
  expect(rows.map(({ resource_id }) => resource_id)).toEqual(Array(60).fill(id))
})
