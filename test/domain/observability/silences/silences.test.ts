import { beforeAll, describe, expect, it } from 'vitest'
import { activeSilences } from '../../../../domain/observability/silences/active-silences.ts'
import { silencesOf } from '../../../../domain/observability/silences/matched-alerts.ts'
import { silenceRetention } from '../../../../domain/observability/silences/silence-retention.ts'
import { silenceCollection } from '../../../../domain/observability/silences/silences-store.ts'
import type { SilenceInput, SilenceMatcherInput } from '../../../../output/observability/types.ts'
import { areas } from '../../../../server/areas.ts'
import { createClock } from '../../../../server/clock.ts'
import { storeCollections } from '../../../../server/platform-store.ts'
import type { ServerStore } from '../../../../server/store/server-store.ts'
import { absentId, addTenant, type Member, type Tenant } from '../../../areas/members.ts'
import { testPlatform, type TestPlatform } from '../../../areas/test-platform.ts'
import { openBeside } from '../../../server/store/left-place.ts'
import { outcomeOf } from '../../outcomes.ts'
import { hostilePatterns } from '../promql/hostile-patterns.ts'
import { afterTests } from '../../../undo.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

let platform: TestPlatform
let admin: Member
let store: ServerStore

beforeAll(async () => {
  platform = await testPlatform({ later: afterTests })
  admin = await platform.admin()
  store = await openBeside(platform.config, storeCollections(areas))
  afterTests(() => store.close())
})

let tenants = 0
const newTenant = (): Promise<Tenant> => addTenant(admin.api, `tenant-${(tenants += 1)}`)

const inFuture = (ms: number): string => new Date(Date.now() + ms).toISOString()

const onHost: readonly SilenceMatcherInput[] = [{ name: 'host', value: 'a' }]

const create = (workspace: string, more: Partial<SilenceInput> = {}) =>
  admin.api.observability.createSilence({
    workspace,
    body: { matchers: [...onHost], end_time: inFuture(hourMs), comment: 'maintenance', ...more },
  })

async function list(workspace: string, filter = '', order_by = ''): Promise<readonly string[]> {
  const { silences } = await admin.api.observability.listSilences({ workspace, filter, order_by })
  return silences.map(({ comment }) => comment)
}

/** Moves the times of a silence by `ms`, as if the time had passed. */
async function age(id: string, ms: number): Promise<void> {
  await store.tx(async tx => {
    const stored = await tx.lock(silenceCollection, id)
    if (!stored) throw new Error(`there is no silence ${id}`)
    const { end_time, start_time } = stored.value
    const earlier = (time: string): string => new Date(Date.parse(time) - ms).toISOString()
    const times = { start_time: earlier(start_time), end_time: earlier(end_time) }
    await tx.update(silenceCollection, id, { ...stored.value, ...times }, stored.version)
  })
}

const state = (short: string): string => `OBSERVABILITY_SILENCE_STATE_${short}`

describe('a new silence', () => {
  it('starts now without a start, or with a past start, and matches exactly without an operator', async () => {
    const { workspace } = await newTenant()
    for (const start_time of [undefined, '2020-01-01T00:00:00Z']) {
      const { resource_id: id, ...operation } = await create(workspace, start_time === undefined ? {} : { start_time })
      expect(operation).toMatchObject({
        operation_type: 'OBSERVABILITY_OPERATION_TYPE_CREATE',
        resource_type: 'observability.silences',
        status: 'OBSERVABILITY_OPERATION_STATUS_DONE',
      })
      const silence = await admin.api.observability.getSilence({ workspace, id })
      expect(silence).toMatchObject({
        id,
        matchers: [{ name: 'host', value: 'a', operator: 'OBSERVABILITY_MATCH_OPERATOR_EQUAL' }],
        comment: 'maintenance',
        state: state('ACTIVE'),
        matched_alert_count: 0,
        created_by_principal_id: admin.id,
      })
      expect(silence.start_time).toBe(silence.create_time)
      expect(silence).not.toHaveProperty('workspace_id')
    }
  })

  it('is PENDING until its start', async () => {
    const { workspace } = await newTenant()
    const times = { start_time: inFuture(hourMs), end_time: inFuture(2 * hourMs) }
    const { resource_id: id } = await create(workspace, times)
    expect(await admin.api.observability.getSilence({ workspace, id })).toMatchObject({
      ...times,
      state: state('PENDING'),
    })
  })

  it('lasts 366 days at most, from its start on', async () => {
    const { workspace } = await newTenant()
    const start_time = inFuture(dayMs)
    const end = Date.parse(start_time) + 366 * dayMs
    await create(workspace, { start_time, end_time: new Date(end).toISOString() })
    await create(workspace, { start_time: '2020-01-01T00:00:00Z', end_time: inFuture(365 * dayMs) })
    const longer = create(workspace, { start_time, end_time: new Date(end + 1).toISOString() })
    await expect(longer).rejects.toMatchObject({ reason: 'SILENCE_TIME_INVALID', metadata: {} })
    expect(await outcomeOf(create(workspace, { end_time: inFuture(366 * dayMs + 60_000) }))).toBe(
      'SILENCE_TIME_INVALID',
    )
  })

  it.each([
    ['before its start', { start_time: '2031-01-02T00:00:00Z', end_time: '2031-01-01T00:00:00Z' }],
    ['at its start', { start_time: '2031-01-01T01:00:00+01:00', end_time: '2031-01-01T00:00:00Z' }],
    ['in the past', { end_time: '2020-01-01T00:00:00Z' }],
  ])('does not end %s', async (_when, times) => {
    const { workspace } = await newTenant()
    await expect(create(workspace, times)).rejects.toMatchObject({
      reason: 'SILENCE_TIME_INVALID',
      code: 4009003,
      details: { badRequest: [{ field: 'end_time' }] },
    })
  })

  it.each<readonly [string, readonly SilenceMatcherInput[]]>([
    ['an empty value', [{ name: 'host', value: '' }]],
    ['another value', [{ name: 'host', value: 'a', operator: 'OBSERVABILITY_MATCH_OPERATOR_NOT_EQUAL' }]],
    ['any text', [{ name: 'host', value: '.*', operator: 'OBSERVABILITY_MATCH_OPERATOR_REGEX' }]],
    ['an optional text', [{ name: 'host', value: 'a|', operator: 'OBSERVABILITY_MATCH_OPERATOR_REGEX' }]],
    ['no text', [{ name: 'host', value: '.+', operator: 'OBSERVABILITY_MATCH_OPERATOR_NOT_REGEX' }]],
    [
      'several of them',
      [
        { name: 'host', value: '.*', operator: 'OBSERVABILITY_MATCH_OPERATOR_REGEX' },
        { name: 'job', value: '' },
      ],
    ],
  ])('is refused if its matchers pass the empty text: %s', async (_name, matchers) => {
    const { workspace } = await newTenant()
    await expect(create(workspace, { matchers: [...matchers] })).rejects.toMatchObject({
      reason: 'SILENCE_MATCHES_ALL',
      code: 4009002,
      details: { badRequest: [{ field: 'matchers' }] },
    })
    await create(workspace, { matchers: [...matchers, { name: 'alertname', value: 'down' }] })
  })

  it('names each pattern that is none of RE2, with the other faults of the body', async () => {
    const { workspace } = await newTenant()
    const pattern = (value: string): SilenceMatcherInput => ({
      name: 'host',
      value,
      operator: 'OBSERVABILITY_MATCH_OPERATOR_REGEX',
    })
    const matchers = [pattern('('), pattern('a.b'), pattern('(?=a)'), pattern('\\1'), pattern('a{2000}')]
    const error: unknown = await create(workspace, { matchers, comment: '' }).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ reason: 'FIELD_INVALID' })
    const fields = [...[0, 2, 3].map(i => ({ field: `matchers[${i}].value` })), { field: 'matchers' }]
    expect(error).toMatchObject({ details: { badRequest: [{ field: 'comment' }, ...fields] } })
  })

  it('is refused for patterns that are too large, alone or together', async () => {
    const { workspace } = await newTenant()
    const refused = (...values: readonly string[]) => {
      const operator = 'OBSERVABILITY_MATCH_OPERATOR_NOT_REGEX' as const
      const matchers = [...onHost, ...values.map(value => ({ name: 'job', value, operator }))]
      return create(workspace, { matchers }).then(
        () => 'taken',
        (error: unknown) => error,
      )
    }
    const fault = { reason: 'FIELD_INVALID', details: { badRequest: [{ field: 'matchers' }] } }
    const short = hostilePatterns.filter(({ length }) => length <= 2048)
    expect(short.length).toBeGreaterThan(8)
    for (const pattern of short) expect(await refused(pattern)).toMatchObject(fault)
    expect(await refused('.{250}', '[a]{200}')).toMatchObject(fault)
    expect(await refused('.{240}')).toBe('taken')
    expect(await refused(Array.from({ length: 150 }, (_, i) => `10\\.0\\.0\\.${i}`).join('|'))).toBe('taken')
  })

  it('is answered again for its Idempotency-Key after its end', async () => {
    const { workspace } = await newTenant()
    const body = { matchers: [...onHost], end_time: inFuture(300), comment: 'short' }
    const request = { workspace, 'Idempotency-Key': 'once', body }
    const first = await admin.api.observability.createSilence(request)
    await expect
      .poll(() => admin.api.observability.getSilence({ workspace, id: first.resource_id }))
      .toMatchObject({
        state: state('EXPIRED'),
      })
    expect((await admin.api.observability.createSilence(request)).id).toBe(first.id)
    const changed = { ...request, body: { ...body, comment: 'other' } }
    expect(await outcomeOf(admin.api.observability.createSilence(changed))).toBe('IDEMPOTENCY_KEY_REUSED')
  })
})

describe('the list of silences', () => {
  it('filters by the state at the time of the call, and sorts by the end', async () => {
    const { workspace } = await newTenant()
    await create(workspace, { comment: 'pending', start_time: inFuture(hourMs), end_time: inFuture(3 * hourMs) })
    await create(workspace, { comment: 'active', end_time: inFuture(2 * hourMs) })
    const { resource_id: expired } = await create(workspace, { comment: 'expired', end_time: inFuture(hourMs) })
    await age(expired, 2 * hourMs)
    expect(await list(workspace)).toEqual(['expired', 'active', 'pending'])
    for (const name of ['pending', 'active', 'expired'])
      expect(await list(workspace, `state = ${state(name.toUpperCase())}`)).toEqual([name])
    expect(await list(workspace, `state != ${state('EXPIRED')}`)).toEqual(['active', 'pending'])
    expect(await list(workspace, 'state:*', 'end_time desc')).toEqual(['pending', 'active', 'expired'])
    expect(await list(workspace, `created_by_principal_id = "${absentId}"`)).toEqual([])
    expect(await list(workspace, `NOT state = ${state('ACTIVE')} AND end_time > "${inFuture(0)}"`)).toEqual(['pending'])
  })

  it('is that of one workspace', async () => {
    const [one, other] = [await newTenant(), await newTenant()]
    const { resource_id: id } = await create(one.workspace)
    expect(await list(other.workspace)).toEqual([])
    expect(await outcomeOf(admin.api.observability.getSilence({ workspace: other.workspace, id }))).toBe(
      'SILENCE_NOT_FOUND',
    )
    expect(await outcomeOf(list(absentId))).toBe('WORKSPACE_NOT_FOUND')
  })
})

describe('a deletion', () => {
  it('ends an active silence now', async () => {
    const { workspace } = await newTenant()
    const { resource_id: id } = await create(workspace)
    const operation = await admin.api.observability.deleteSilence({ workspace, id })
    expect(operation).toMatchObject({ operation_type: 'OBSERVABILITY_OPERATION_TYPE_DELETE', warnings: [] })
    const ended = await admin.api.observability.getSilence({ workspace, id })
    expect(ended).toMatchObject({ state: state('EXPIRED') })
    expect(ended.end_time).toBe(operation.insert_time)
  })

  it('ends a pending silence before it begins', async () => {
    const { workspace } = await newTenant()
    const times = { start_time: inFuture(hourMs), end_time: inFuture(2 * hourMs) }
    const { resource_id: id } = await create(workspace, times)
    await admin.api.observability.deleteSilence({ workspace, id })
    const ended = await admin.api.observability.getSilence({ workspace, id })
    expect([ended.state, ended.start_time]).toEqual([state('EXPIRED'), ended.end_time])
  })

  it('of an expired silence changes nothing, and warns', async () => {
    const { workspace } = await newTenant()
    const { resource_id: id } = await create(workspace)
    await admin.api.observability.deleteSilence({ workspace, id })
    const ended = await admin.api.observability.getSilence({ workspace, id })
    const { warnings } = await admin.api.observability.deleteSilence({ workspace, id })
    expect(warnings).toEqual([
      { code: 4009101, description: `silence ${id} had ended at ${ended.end_time}; nothing was changed` },
    ])
    expect(await admin.api.observability.getSilence({ workspace, id })).toEqual(ended)
  })

  it('compares the etag', async () => {
    const { workspace } = await newTenant()
    const { resource_id: id } = await create(workspace)
    const { etag } = await admin.api.observability.getSilence({ workspace, id })
    expect(await outcomeOf(admin.api.observability.deleteSilence({ workspace, id, etag: 'other' }))).toBe(
      'ETAG_MISMATCH',
    )
    expect(await outcomeOf(admin.api.observability.deleteSilence({ workspace, id, etag }))).toBe('OK')
  })
})

describe('an expired silence', () => {
  it('can be read for 120 hours, and its row is deleted after that', async () => {
    const { workspace } = await newTenant()
    const { resource_id: id } = await create(workspace, { comment: 'kept', end_time: inFuture(hourMs) })
    const { resource_id: other } = await create(workspace, { comment: 'forgotten', end_time: inFuture(hourMs) })
    await age(id, 120 * hourMs)
    await age(other, 121 * hourMs)
    expect(await list(workspace)).toEqual(['kept'])
    for (const call of ['getSilence', 'deleteSilence'] as const)
      await expect(admin.api.observability[call]({ workspace, id: other })).rejects.toMatchObject({
        reason: 'SILENCE_NOT_FOUND',
        code: 4009001,
        details: { resource: { type: 'observability.silences', name: other } },
      })
    const run = () =>
      silenceRetention({ clock: createClock(() => Date.now()) }).run({
        signal: new AbortController().signal,
        tx: fn => store.tx(fn),
      })
    await run()
    expect(await store.get(silenceCollection, other)).toBeUndefined()
    expect(await outcomeOf(admin.api.observability.getSilence({ workspace, id }))).toBe('OK')
  })

  it('counts neither for the quota nor as a holding of its workspace', async () => {
    const { organisation, workspace } = await newTenant()
    const usage = async (): Promise<number | undefined> => {
      const filter = `scope_id = "${workspace}" AND quota_definition_id = "observability.silences"`
      return (await admin.api.observability.listQuotaLimits({ filter })).quota_limits[0]?.usage
    }
    const { resource_id: id } = await create(workspace)
    await create(workspace, { start_time: inFuture(hourMs), end_time: inFuture(2 * hourMs) })
    expect(await usage()).toBe(2)
    await age(id, hourMs)
    expect(await usage()).toBe(1)
    await admin.api.taxonomy.archiveWorkspace({ organisation, id: workspace, body: {} })
    expect(await outcomeOf(create(workspace))).toBe('WORKSPACE_NOT_ACTIVE')
    expect(await outcomeOf(admin.api.observability.deleteSilence({ workspace, id }))).toBe('WORKSPACE_NOT_ACTIVE')
    expect(await list(workspace)).toHaveLength(2)
    await expect(admin.api.taxonomy.deleteWorkspace({ organisation, id: workspace })).rejects.toMatchObject({
      reason: 'WORKSPACE_NOT_EMPTY',
      details: { precondition: [{ type: 'observability.silences' }] },
    })
    await admin.api.taxonomy.waitOperation(
      await admin.api.taxonomy.deleteWorkspace({ organisation, id: workspace, force: true }),
    )
    await expect.poll(() => store.count(silenceCollection, { workspace_id: workspace })).toBe(0)
  })
})

describe('the quota of silences', () => {
  it('refuses the first silence above the limit', async () => {
    const { workspace } = await newTenant()
    const { resource_id: id } = await create(workspace)
    const made = await store.get(silenceCollection, id)
    if (!made) throw new Error('the silence is not stored')
    await store.tx(async tx => {
      for (let i = 1; i < 499; i += 1)
        await tx.insert(silenceCollection, { ...made.value, id: absentId.replace(/.{12}$/, String(10 ** 11 + i)) })
    })
    await create(workspace)
    await expect(create(workspace)).rejects.toMatchObject({
      reason: 'QUOTA_EXCEEDED',
      code: 4000006,
      metadata: {
        quota: 'observability.silences',
        limit: '500',
        usage: '500',
        requested: '1',
        scope_type: 'WORKSPACE',
        scope_id: workspace,
      },
    })
  })
})

describe('active silences', () => {
  it('are found by the labels of an alert', async () => {
    const { workspace } = await newTenant()
    const { resource_id: one } = await create(workspace)
    const pattern = { name: 'job', value: 'a.c', operator: 'OBSERVABILITY_MATCH_OPERATOR_REGEX' } as const
    const { resource_id: two } = await create(workspace, { matchers: [pattern] })
    await create(workspace, { start_time: inFuture(hourMs), end_time: inFuture(2 * hourMs) })
    // The clock of the platform may be some milliseconds ahead of the clock of the test.
    const silencing = async (labels: Record<string, string>) =>
      (await silencesOf(await activeSilences(store, workspace, Date.now() + 1_000), [labels])).silencedBy[0]
    expect(await silencing({ host: 'a' })).toEqual([one])
    expect(await silencing({ host: 'a', job: 'abc' })).toEqual([one, two].toSorted())
    expect(await silencing({ host: 'b', job: 'xabc' })).toEqual([])
    expect(await silencing({ constructor: 'a' })).toEqual([])
    await admin.api.observability.deleteSilence({ workspace, id: one })
    expect(await silencing({ host: 'a' })).toEqual([])
  })
})
