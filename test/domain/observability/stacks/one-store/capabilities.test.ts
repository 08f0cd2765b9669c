import { beforeAll, describe, expect, it } from 'vitest'
import * as routes from '../../../../../output/observability/routes.ts'
import { stackNeeds } from '../../../../../server/observability/admit-engine.ts'
import { observabilitySettings } from '../../../../../server/observability/settings.ts'
import { addMember, addTenant, type Member, type Tenant } from '../../../../areas/members.ts'
import { testPlatform, type TestPlatform } from '../../../../areas/test-platform.ts'
import { servedApi, type ServedApi } from '../../../../server/observability/stack/api-member.ts'
import { afterTests } from '../../../../undo.ts'
import { withStacks } from '../stack-settings.ts'

/** All operations whose paths name an engine. */
const operations = Object.values(routes).flatMap(route =>
  'operationId' in route && route.path.includes('engine') ? [route.operationId] : [],
)

/** The capabilities of needs that a setting serves beside others. */
const capabilities: Readonly<Record<string, string>> = { graphs: 'METRICS', streams: 'LOGS', tails: 'LOGS' }

let platform: TestPlatform
let admin: Member
let tenant: Tenant
let member: ServedApi

beforeAll(async () => {
  member = await servedApi(() => ({ body: 'x' }), afterTests)
  const { url } = member
  const all = { metrics_url: url, logs_url: url, traces_url: url, otlp_url: url }
  platform = await testPlatform({
    config: { given: withStacks({ name: 'whole', ...all }, { name: 'empty' }) },
    later: afterTests,
  })
  admin = await platform.admin()
  tenant = await addTenant(admin.api, 'acme')
})

/** Calls an operation with a body and an id that no check before that of the engine reads; returns the reason. */
async function reasonOf(operationId: string, engine: string, by: Member = admin): Promise<readonly unknown[]> {
  const call: unknown = Reflect.get(by.api.observability, operationId)
  if (typeof call !== 'function') throw new Error(`the client has no ${operationId}`)
  const request = { workspace: tenant.workspace, engine, id: 'a1', body: {} }
  const error: unknown = await call.call(by.api.observability, request).then(
    () => ({ reason: 'OK' }),
    (e: unknown) => e,
  )
  return [
    Reflect.get(Object(error), 'reason'),
    Reflect.get(Object(Reflect.get(Object(error), 'metadata')), 'capability'),
  ]
}

describe('the operations of an engine', () => {
  it('all have a row in the table of needs', () => {
    expect(Object.keys(stackNeeds).toSorted()).toEqual(operations.toSorted())
  })

  it.each(operations)('%s is refused by a stack that lacks what it needs', async operationId => {
    const need = stackNeeds[operationId]
    const [reason, capability] = await reasonOf(operationId, 'empty')
    if (need === 'nothing') expect(reason).not.toBe('ENGINE_CAPABILITY_UNSUPPORTED')
    else {
      const lacked = typeof need === 'object' ? need.capability : (capabilities[need ?? ''] ?? need?.toUpperCase())
      expect([reason, capability]).toEqual(['ENGINE_CAPABILITY_UNSUPPORTED', lacked])
    }
    const [withMembers] = await reasonOf(operationId, 'whole')
    expect(withMembers === 'ENGINE_CAPABILITY_UNSUPPORTED').toBe(typeof need === 'object')
    expect(await reasonOf(operationId, 'absent')).toEqual(['ENGINE_NOT_FOUND', undefined])
  })

  it('tell callers without a right nothing about engines', async () => {
    const before = member.requests.length
    const stranger = await addMember(platform, admin.api, { email: 'stranger@example.com' })
    for (const engine of ['empty', 'whole', 'absent'])
      expect(await reasonOf('queryMetrics', engine, stranger)).toEqual(['IAM_PERMISSION_DENIED', undefined])
    expect(member.requests).toHaveLength(before)
  })
})

it('a default engine that no setting has ends the start', async () => {
  const given = withStacks({ name: 'far' }).with(observabilitySettings['observability.default_engine'], 'near')
  await expect(testPlatform({ config: { given }, later: afterTests })).rejects.toThrow(
    'observability.default_engine: no engine of observability.engines is called near',
  )
})
