import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ListRetentionPoliciesRequest } from '../../../../../output/observability/types.ts'
import { absentId, addMember, addTenant, type Member, type Tenant } from '../../../../areas/members.ts'
import { testPlatform, type TestPlatform } from '../../../../areas/test-platform.ts'
import { servedApi, type ApiAnswer, type ServedApi } from '../../../../server/observability/stack/api-member.ts'
import { afterTests } from '../../../../undo.ts'
import { outcomeOf } from '../../../outcomes.ts'
import { withStacks } from '../stack-settings.ts'

const hour = 3_600_000

/** The retentions that the members tell, by their pages. */
const told: Readonly<Record<string, ApiAnswer['body']>> = {
  '/api/v1/status/runtimeinfo': { status: 'success', data: { storageRetention: '30d', CWD: '/secret' } },
  '/config': 'secret: secret\nlimits_config:\n  retention_period: 1w\ncompactor:\n  retention_enabled: true\n',
  '/status/config': 'compactor:\n  compaction:\n    block_retention: 48h0m0s\n',
}

let pages: Record<string, ApiAnswer['body'] | undefined>
let down: string | undefined
let platform: TestPlatform
let admin: Member
let mine: Tenant
let theirs: Tenant
let member: ServedApi

beforeAll(async () => {
  member = await servedApi(
    ({ path }) =>
      path === down
        ? { status: 500, body: 'secret' }
        : { body: pages[path] ?? '', status: pages[path] === undefined ? 404 : 200 },
    afterTests,
  )
  const { url } = member
  const all = { metrics_url: url, logs_url: url, traces_url: url }
  const given = withStacks(
    { name: 'far', ...all },
    { name: 'farther', ...all, multi_tenant: true },
    { name: 'jaeger', traces_url: `${url}/api/v3` },
    { name: 'otlp', otlp_url: url, alertmanager_url: url },
  )
  platform = await testPlatform({ config: { given }, later: afterTests })
  admin = await platform.admin()
  mine = await addTenant(admin.api, 'mine')
  theirs = await addTenant(admin.api, 'theirs')
})

beforeEach(() => {
  pages = { ...told }
  down = undefined
  member.requests.length = 0
})

const at = (engine = 'far', { workspace } = mine) => ({ workspace, engine })

const list = async (more: Partial<ListRetentionPoliciesRequest> = {}) =>
  admin.api.observability.listRetentionPolicies({ ...at(), ...more })

const policies = async (more: Partial<ListRetentionPoliciesRequest> = {}) => (await list(more)).retention_policies

const get = (id: string, place = at()) => admin.api.observability.getRetentionPolicy({ ...place, id })

describe('the retention policies of a stack', () => {
  it('are the defaults of the signals whose members tell their retentions', async () => {
    const { organisation, workspace } = mine
    const { create_time } = await admin.api.taxonomy.getWorkspace({ organisation, id: workspace })
    const common = {
      id: expect.stringMatching(new RegExp(`^${workspace.slice(0, 13)}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)),
      display_name: '',
      description: '',
      labels: {},
      selector: '',
      priority: 0,
      state: 'OBSERVABILITY_RETENTION_POLICY_STATE_ACTIVE',
      is_default: true,
      effective_bytes: 0,
      workspace_id: workspace,
      engine: 'far',
      etag: expect.any(String),
      create_time,
      update_time: create_time,
    }
    const found = await list()
    expect(found).toEqual({
      retention_policies: [
        { ...common, name: 'default-logs', signal: 'OBSERVABILITY_SIGNAL_LOGS', retention: '604800s' },
        { ...common, name: 'default-metrics', signal: 'OBSERVABILITY_SIGNAL_METRICS', retention: '2592000s' },
        { ...common, name: 'default-traces', signal: 'OBSERVABILITY_SIGNAL_TRACES', retention: '172800s' },
      ],
      next_page_token: '',
    })
    for (const policy of found.retention_policies) expect(await get(policy.id)).toEqual(policy)
    expect(JSON.stringify(found)).not.toContain('secret')
  })

  it('lack those of members that do not tell', async () => {
    const [, metrics] = await policies()
    pages['/api/v1/status/runtimeinfo'] = undefined
    pages['/config'] = undefined
    expect((await policies()).map(({ name }) => name)).toEqual(['default-traces'])
    await expect(get(metrics?.id ?? '')).rejects.toMatchObject({
      reason: 'RETENTION_POLICY_NOT_FOUND',
      details: { resource: { type: 'observability.retentionPolicies', name: metrics?.id } },
    })
    expect(await policies({ engine: 'jaeger' })).toEqual([])
  })

  it('are filtered, ordered and paged as other lists', async () => {
    const names = async (more: Partial<ListRetentionPoliciesRequest>) => (await policies(more)).map(({ name }) => name)
    expect(await names({ filter: 'signal = OBSERVABILITY_SIGNAL_TRACES' })).toEqual(['default-traces'])
    expect(await names({ filter: 'is_default = false' })).toEqual([])
    expect(await names({ filter: 'name = "default-*" AND priority < 1', order_by: 'name desc' })).toEqual([
      'default-traces',
      'default-metrics',
      'default-logs',
    ])
    const first = await list({ page_size: 2 })
    expect(first.retention_policies.map(({ name }) => name)).toEqual(['default-logs', 'default-metrics'])
    expect(await names({ page_size: 2, page_token: first.next_page_token })).toEqual(['default-traces'])
    expect(await outcomeOf(list({ filter: 'selector = "x"' }))).toBe('FILTER_INVALID')
    expect(await outcomeOf(list({ page_size: 2, page_token: 'x' }))).toBe('PAGE_TOKEN_INVALID')
    expect(await outcomeOf(list({ engine: 'farther', page_size: 2, page_token: first.next_page_token }))).toBe(
      'PAGE_TOKEN_INVALID',
    )
  })

  it('keep their ids, and get another etag with another retention', async () => {
    const [logs, metrics] = await policies()
    expect(await policies()).toContainEqual(metrics)
    pages['/api/v1/status/runtimeinfo'] = { status: 'success', data: { storageRetention: '1h30m1s5ms' } }
    const changed = await get(metrics?.id ?? '')
    expect(changed).toEqual({ ...metrics, retention: '5401.005s', etag: (1.5 * hour + 1005).toString(36) })
    expect(changed.etag).not.toBe(metrics?.etag)
    expect(await get(logs?.id ?? '')).toEqual(logs)
  })

  it('have ids of their own in each workspace and engine, which nobody finds elsewhere', async () => {
    const places = [at(), at('farther'), at('far', theirs), at('farther', theirs), at('native')]
    const found = await Promise.all(places.map(place => policies(place)))
    const ids = found.map(rows => rows.map(({ id }) => id))
    expect(ids.map(({ length }) => length)).toEqual([3, 3, 3, 3, 3])
    expect(new Set(ids.flat()).size).toBe(15)
    for (const [i, place] of places.entries())
      for (const [k, [id = '']] of ids.entries())
        expect(await outcomeOf(get(id, place))).toBe(i === k ? 'OK' : 'RETENTION_POLICY_NOT_FOUND')
  })

  it('are those of the tenant of the workspace if the members have tenants', async () => {
    await policies(at('farther', theirs))
    expect(new Set(member.requests.map(({ headers }) => headers['x-scope-orgid']))).toEqual(new Set([theirs.workspace]))
    member.requests.length = 0
    await policies()
    expect(member.requests.some(({ headers }) => 'x-scope-orgid' in headers)).toBe(false)
  })

  it.each(Object.keys(told))(
    'are unavailable while the member of %s fails, unless another is asked for',
    async path => {
      const found = await policies()
      down = path
      const error: unknown = await list().catch((e: unknown) => e)
      expect(error).toMatchObject({ reason: 'ENGINE_UNAVAILABLE' })
      expect(String(Reflect.get(Object(error), 'message'))).not.toMatch(/secret|127\.0\.0\.1/)
      const outcomes = await Promise.all(found.map(({ id }) => outcomeOf(get(id))))
      expect(outcomes.toSorted()).toEqual(['ENGINE_UNAVAILABLE', 'OK', 'OK'])
    },
  )

  it('have none with another id, for which no member is asked', async () => {
    expect(await outcomeOf(get(absentId))).toBe('RETENTION_POLICY_NOT_FOUND')
    for (const id of ['x', 'default-metrics', '*'.repeat(200)]) expect(await outcomeOf(get(id))).toBe('FIELD_INVALID')
    expect(member.requests).toEqual([])
  })

  it('are neither created nor changed', async () => {
    const [{ id } = { id: '' }] = await policies()
    const body = { name: 'x', signal: 'OBSERVABILITY_SIGNAL_METRICS', selector: '{a="b"}', retention: '3600s' } as const
    for (const change of [
      admin.api.observability.createRetentionPolicy({ ...at(), body }),
      admin.api.observability.updateRetentionPolicy({ ...at(), id, body: { retention: '3600s' } }),
    ])
      await expect(change).rejects.toMatchObject({
        reason: 'ENGINE_CAPABILITY_UNSUPPORTED',
        metadata: { capability: 'RETENTION' },
      })
  })

  it('are not served by a stack without members that keep telemetry', async () => {
    for (const read of [list({ engine: 'otlp' }), get(absentId, at('otlp'))])
      await expect(read).rejects.toMatchObject({
        reason: 'ENGINE_CAPABILITY_UNSUPPORTED',
        metadata: { capability: 'RETENTION' },
      })
  })

  it('are told only of a workspace that exists, to callers with the right', async () => {
    const stranger = await addMember(platform, admin.api, { email: 'stranger@example.com' })
    expect(await outcomeOf(stranger.api.observability.listRetentionPolicies(at()))).toBe('IAM_PERMISSION_DENIED')
    expect(await outcomeOf(list({ workspace: absentId }))).toBe('WORKSPACE_NOT_FOUND')
    expect(await outcomeOf(get(absentId, { workspace: absentId, engine: 'far' }))).toBe('WORKSPACE_NOT_FOUND')
    expect(member.requests).toEqual([])
  })

  it('are read in a workspace that is suspended, and do not keep it from its deletion', async () => {
    const { organisation, workspace: id } = await addTenant(admin.api, 'ended')
    const place = { workspace: id, engine: 'far' }
    const before = await policies(place)
    expect(before).toHaveLength(3)
    await admin.api.taxonomy.archiveWorkspace({ organisation, id, body: {} })
    expect(await policies(place)).toEqual(before)
    await admin.api.taxonomy.deleteWorkspace({ organisation, id })
    expect(await outcomeOf(policies(place))).toBe('WORKSPACE_NOT_FOUND')
  })
})
