import { beforeAll, describe, expect, it } from 'vitest'
import type { Ninefold } from '../../../../output/client.ts'
import type { LogSinkInput, LogSinkUpdate } from '../../../../output/observability/types.ts'
import { absentId, addMember, addTenant, roleAt, type Tenant } from '../../../areas/members.ts'
import { testPlatform, type TestPlatform } from '../../../areas/test-platform.ts'
import { afterTests } from '../../../undo.ts'
import { outcomeOf } from '../../outcomes.ts'

const [logs, activities] = ['OBSERVABILITY_SINK_SOURCE_LOGS', 'OBSERVABILITY_SINK_SOURCE_ACTIVITIES'] as const

let platform: TestPlatform
let api: Ninefold
let tenant: Tenant
let bucket: string

beforeAll(async () => {
  platform = await testPlatform({ later: afterTests })
  api = (await platform.admin()).api
  tenant = await addTenant(api, 'acme')
  bucket = (await api.storage.createBucket({ ...at(), body: { name: 'archive' } })).resource_id
})

const at = () => ({ workspace: tenant.workspace, engine: 'native' })
const webhook = { webhook: { url: 'https://198.51.100.7/hook' } }
const sinkOf = (name: string, more: Partial<LogSinkInput> = {}): LogSinkInput => ({
  name,
  sources: [logs],
  destination: webhook,
  ...more,
})
const create = async (body: LogSinkInput) => (await api.observability.createLogSink({ ...at(), body })).resource_id
const read = (id: string) => api.observability.getLogSink({ ...at(), id })
const update = (id: string, body: LogSinkUpdate, update_mask?: string) =>
  api.observability.updateLogSink({ ...at(), id, body, ...(update_mask !== undefined && { update_mask }) })
const usage = async () => {
  const filter = `scope_id = "${tenant.workspace}" AND quota_definition_id = "observability.logSinks"`
  return (await api.observability.listQuotaLimits({ filter })).quota_limits[0]?.usage
}

describe('a log sink', () => {
  it('is created with its defaults, read, listed, changed and deleted, and counts for its quota', async () => {
    const before = (await usage()) ?? 0
    const id = await create(sinkOf('plain', { destination: { bucket: { bucket_id: bucket } } }))
    const sink = await read(id)
    expect(sink).toMatchObject({
      name: 'plain',
      enabled: true,
      filter: '',
      exclusions: [],
      destination: { bucket: { bucket_id: bucket, prefix: '', flush_interval: '300s', max_object_bytes: 67_108_864 } },
      start_time: sink.create_time,
      state: 'OBSERVABILITY_LOG_SINK_STATE_ACTIVE',
      exported_entries: 0,
      lag_seconds: 0,
      last_error: '',
    })
    expect(await usage()).toBe(before + 1)
    const { log_sinks } = await api.observability.listLogSinks({ ...at(), filter: 'name = "plain" AND enabled = true' })
    expect(log_sinks).toEqual([sink])
    await update(id, { destination: { bucket: { bucket_id: bucket, prefix: 'a/b' } } }, 'destination.bucket.prefix')
    expect((await read(id)).destination.bucket).toEqual({ ...sink.destination.bucket, prefix: 'a/b' })
    await update(id, { ...sinkOf('plain'), start_time: sink.create_time.replace('Z', '+00:00') })
    expect((await read(id)).destination).toEqual(webhook)
    expect(await outcomeOf(update(id, { start_time: '2020-01-01T00:00:00Z' }, 'start_time'))).toBe('FIELD_IMMUTABLE')
    await api.observability.deleteLogSink({ ...at(), id })
    expect(await outcomeOf(read(id))).toBe('LOG_SINK_NOT_FOUND')
    expect(await usage()).toBe(before)
  })

  it('holds its bucket until it names another destination or is deleted', async () => {
    const { resource_id: held } = await api.storage.createBucket({ ...at(), body: { name: 'held' } })
    const remove = () => outcomeOf(api.storage.deleteBucket({ ...at(), id: held }))
    const id = await create(sinkOf('holder', { destination: { bucket: { bucket_id: held } } }))
    expect(await remove()).toBe('BUCKET_IN_USE')
    await update(id, { destination: webhook }, 'destination')
    expect(await remove()).toBe('OK')
    await api.observability.deleteLogSink({ ...at(), id })
  })

  it('has a name of its own', async () => {
    await create(sinkOf('taken'))
    expect(await outcomeOf(create(sinkOf('taken')))).toBe('LOG_SINK_ALREADY_EXISTS')
  })

  it.each<readonly [string, Partial<LogSinkInput>, string, object]>([
    ['no destination', { destination: {} }, 'DESTINATION_INVALID', { badRequest: [{ field: 'destination' }] }],
    [
      'two destinations',
      { destination: { ...webhook, otlp: { url: 'https://198.51.100.7/' } } },
      'DESTINATION_INVALID',
      { badRequest: [{ field: 'destination' }] },
    ],
    [
      'a webhook without TLS',
      { destination: { webhook: { url: 'http://198.51.100.7/' } } },
      'DESTINATION_INVALID',
      { badRequest: [{ field: 'destination.webhook.url' }] },
    ],
    [
      'a private receiver of OTLP',
      { destination: { otlp: { url: 'http://169.254.169.254/v1/logs' } } },
      'DESTINATION_INVALID',
      { badRequest: [{ field: 'destination.otlp.url' }] },
    ],
    [
      'an absent bucket',
      { destination: { bucket: { bucket_id: absentId } } },
      'DESTINATION_NOT_FOUND',
      {
        badRequest: [{ field: 'destination.bucket.bucket_id' }],
        resource: { type: 'storage.buckets', name: absentId },
      },
    ],
    [
      'an absent secret',
      { destination: { otlp: { url: 'https://198.51.100.7/', headers_secret_id: absentId } } },
      'FIELD_INVALID',
      { badRequest: [{ field: 'destination.otlp.headers_secret_id' }] },
    ],
    [
      'a short interval',
      { destination: { bucket: { bucket_id: absentId, flush_interval: '59.999s' } } },
      'FIELD_INVALID',
      { badRequest: [{ field: 'destination.bucket.flush_interval' }] },
    ],
    ...(
      [
        ['a relative segment', 'logs/../other'],
        ['a control character of Latin-1', 'a\u0085b'],
        ['more bytes than names of objects have room for', '\u{1f4a5}'.repeat(230)],
      ] as const
    ).map(
      ([what, prefix]) =>
        [
          `a prefix with ${what}`,
          { destination: { bucket: { bucket_id: absentId, prefix } } },
          'FIELD_INVALID',
          { badRequest: [{ field: 'destination.bucket.prefix' }] },
        ] as const,
    ),
    [
      'a start in the future',
      { start_time: '2999-01-01T00:00:00Z' },
      'FIELD_INVALID',
      { badRequest: [{ field: 'start_time' }] },
    ],
    ['an empty selector', { filter: '{}' }, 'SELECTOR_EMPTY', { badRequest: [{ field: 'filter' }] }],
    ['a metric query', { filter: 'rate({a="b"}[5m])' }, 'QUERY_TYPE_INVALID', { badRequest: [{ field: 'filter' }] }],
    [
      'a stage that is not supported',
      { filter: '{a="b"} | decolorize' },
      'QUERY_FEATURE_UNSUPPORTED',
      { badRequest: [{ field: 'filter' }] },
    ],
    [
      'a faulty exclusion, which is disabled',
      { exclusions: [{ name: 'one', filter: '{a="b"', disabled: true }] },
      'QUERY_SYNTAX_INVALID',
      { badRequest: [{ field: 'exclusions[0].filter' }] },
    ],
    [
      'two exclusions of one name',
      { exclusions: ['a', 'b'].map(value => ({ name: 'one', filter: `{a="${value}"}` })) },
      'FIELD_INVALID',
      { badRequest: [{ field: 'exclusions[1].name' }] },
    ],
  ])('is refused with %s', async (_what, more, reason, details) => {
    await expect(create(sinkOf('faulty', more))).rejects.toMatchObject({ reason, details })
    const id = await create(sinkOf('sound'))
    // A start never changes, and an update that sends another one is refused for that.
    if (!('start_time' in more))
      await expect(update(id, { ...sinkOf('sound'), ...more })).rejects.toMatchObject({ reason, details })
    await api.observability.deleteLogSink({ ...at(), id })
  })

  it('tells the position of a fault in a filter', async () => {
    const error = await create(sinkOf('faulty', { filter: '{service_name="api"} |= ' })).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toMatchObject({
      reason: 'QUERY_SYNTAX_INVALID',
      metadata: { language: 'LOGQL', position: expect.stringMatching(/^2\d$/) },
    })
  })
})

describe('the rights of a caller', () => {
  const rights = [
    ['observability.logs.query', sinkOf('right', { sources: [logs] })],
    ['observability.activities.list', sinkOf('right', { sources: [activities] })],
    ['storage.objects.create', 'bucket'],
    ['storage.objects.delete', 'bucket'],
    ['vault.secretVersions.access', 'secret'],
  ] as const

  it.each(rights)(
    '%s is needed for what a sink uses, also by an update of something else',
    async (permission, given) => {
      const suffix = permission.toLowerCase().replaceAll(/[^a-z]/g, '-')
      const { resource_id: secret } = await api.vault.createSecret({ ...at(), body: { name: suffix } })
      const destinations = {
        bucket: { bucket: { bucket_id: bucket } },
        secret: { otlp: { url: 'https://198.51.100.7/', headers_secret_id: secret } },
      }
      const body = typeof given === 'string' ? sinkOf('right', { destination: destinations[given] }) : given
      const others = rights.map(([each]) => each).filter(each => each !== permission)
      const permissions = ['observability.logSinks.create', 'observability.logSinks.update']
      const role = async (name: string, all: readonly string[]) =>
        (
          await api.iam.createRole({
            body: {
              name,
              scope_type: 'ORGANISATION',
              scope_id: tenant.organisation,
              permissions: [...all],
            },
          })
        ).resource_id
      const member = async (name: string, all: readonly string[]) =>
        addMember(platform, api, {
          email: `${name}-${suffix}@acme.test`,
          organisation_id: tenant.organisation,
          grants: [roleAt(await role(`${name}-${suffix}`, all), 'WORKSPACE', tenant.workspace)],
        })
      const lacking = await member('lacking', [...permissions, ...others])
      const having = await member('having', [...permissions, ...others, permission])
      const denied = { reason: 'IAM_PERMISSION_DENIED', metadata: { permission } }
      await expect(lacking.api.observability.createLogSink({ ...at(), body })).rejects.toMatchObject(denied)
      const { resource_id: id } = await having.api.observability.createLogSink({ ...at(), body })
      const change = { ...at(), id, body: { display_name: 'x' }, update_mask: 'display_name' }
      await expect(lacking.api.observability.updateLogSink(change)).rejects.toMatchObject(denied)
      await having.api.observability.updateLogSink(change)
      await api.observability.deleteLogSink({ ...at(), id })
    },
  )
})
