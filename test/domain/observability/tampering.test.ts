import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Collection, Stored, Transaction } from '../../../domain/ports/store.ts'
import { alertRuleCollection } from '../../../domain/observability/alerts/alert-rules-store.ts'
import { alertPageCollection, evaluationCollection } from '../../../domain/observability/alerts/alerts-store.ts'
import { ingestionConfigCollection } from '../../../domain/observability/ingestion-configs/ingestion-configs-store.ts'
import {
  ingestionStatusCollection,
  noStats,
} from '../../../domain/observability/ingestion-configs/ingestion-status-store.ts'
import {
  deliveryCollection,
  notificationCollection,
  receiverSecretCollection,
} from '../../../domain/observability/notifications/deliveries-store.ts'
import { limitCollection } from '../../../domain/observability/quotas/limits-store.ts'
import { droppedCollection } from '../../../domain/observability/retention/dropped-telemetry.ts'
import { retentionPolicyCollection } from '../../../domain/observability/retention/retention-store.ts'
import { logSinkCollection } from '../../../domain/observability/sinks/log-sinks-store.ts'
import { sinkExportCollection, sinkSecretCollection } from '../../../domain/observability/sinks/sink-exports-store.ts'
import { silenceCollection } from '../../../domain/observability/silences/silences-store.ts'
import { references } from '../../../domain/resources/references.ts'
import { areas } from '../../../server/areas.ts'
import { observabilitySettings } from '../../../server/observability/settings.ts'
import { storeCollections, type StorePlace } from '../../../server/platform-store.ts'
import { GivenSettings } from '../../../server/settings/values.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { absentId, addTenant } from '../../areas/members.ts'
import { whileOpen } from '../../areas/while-open.ts'
import { copyPlace, openBeside, testStorePlace } from '../../server/store/left-place.ts'
import { afterTests } from '../../undo.ts'
import { areasWithClock, MovedClock } from './moved-clock.ts'

let left: StorePlace
let workspace: string
let rule: string

beforeAll(async () => {
  left = await testStorePlace(afterTests)
  const clock = new MovedClock()
  const given = new GivenSettings().with(observabilitySettings['observability.allow_private_targets'], ['127.0.0.0/8'])
  const config = await whileOpen(
    { ...left, given },
    async api => {
      workspace = (await addTenant(api, 'acme')).workspace
      const at = { workspace, engine: 'native' }
      const { observability } = api
      // Nobody listens at the port, so the notification is pending at the end.
      const receivers = [{ name: 'hook', webhook: { url: 'http://127.0.0.1:1/' } }]
      const body = { name: 'always', query: 'vector(1)', evaluation_interval: '10s', receivers }
      rule = (await observability.createAlertRule({ ...at, body })).resource_id
      clock.next()
      const isTried = async () => {
        const { deliveries } = await observability.getAlertRule({ ...at, id: rule })
        expect(deliveries).toMatchObject([{ pending: true, last_error: expect.stringMatching(/./) }])
      }
      await vi.waitFor(isTried, { timeout: 60_000 })
      const end_time = new Date(Date.now() + 3_600_000).toISOString()
      const matchers = [{ name: 'host', value: 'a' }]
      await observability.createSilence({ workspace, body: { matchers, end_time, comment: 'maintenance' } })
      const signal = 'OBSERVABILITY_SIGNAL_METRICS'
      const { resource_id: bucket_id } = await api.storage.createBucket({ ...at, body: { name: 'archive' } })
      const sources = ['OBSERVABILITY_SINK_SOURCE_LOGS' as const]
      const destination = { bucket: { bucket_id } }
      await observability.createLogSink({ ...at, body: { name: 'archive', sources, destination } })
      const policy = { name: 'jobs', selector: '{job="a"}', retention: '3600s', signal } as const
      await observability.createRetentionPolicy({ ...at, body: policy })
      return (await observability.createIngestionConfig({ ...at, body: { name: 'senders', otlp: {} } })).resource_id
    },
    areasWithClock(clock),
  )
  const store = await openBeside(left, storeCollections(areas))
  const stats = { ...noStats, accepted: 5, rejected: 2, rejected_reasons: { too_old: 2 } }
  await store.tx(tx =>
    tx.insert(ingestionStatusCollection, { id: config, workspace_id: workspace, stats, targets: [] }),
  )
  await store.close()
})

/** Returns the rows of a collection that belong to the workspace of the test. */
async function own<T>(tx: Transaction, collection: Collection<T>): Promise<readonly Stored<T>[]> {
  const rows: Stored<T>[] = []
  for await (const row of tx.each(collection)) if (JSON.stringify(row.value).includes(workspace)) rows.push(row)
  return rows
}

/** Returns a change that replaces members of the first row. */
const altered =
  <T>(collection: Collection<T>, members: (value: T) => Partial<T>) =>
  async (tx: Transaction): Promise<void> => {
    const [row] = await own(tx, collection)
    if (!row) throw new Error(`${collection.name} has no row`)
    await tx.update(collection, row.id, { ...row.value, ...members(row.value) }, row.version)
  }

/** Returns a change that deletes all rows. */
const deleted =
  <T>(collection: Collection<T>) =>
  async (tx: Transaction): Promise<void> => {
    const rows = await own(tx, collection)
    if (rows.length === 0) throw new Error(`${collection.name} has no row`)
    for (const { id, version } of rows) await tx.delete(collection, id, version)
  }

const all = <T>(row: Stored<T> | undefined): T => {
  if (!row) throw new Error('there is no row')
  return row.value
}

const tampers: readonly (readonly [string, (tx: Transaction) => Promise<unknown>, RegExp])[] = [
  [
    'the state of a rule',
    altered(alertRuleCollection, () => ({ state: 'OBSERVABILITY_ALERT_RULE_STATE_INACTIVE' as const })),
    /alertRules .*: is OBSERVABILITY_ALERT_RULE_STATE_INACTIVE, but its alerts make it OBSERVABILITY_ALERT_RULE_STATE_FIRING/,
  ],
  [
    'a rule that was deleted',
    deleted(alertRuleCollection),
    /alertRules .*: has alerts in workspace .*, which has no such rule/,
  ],
  ['an evaluation that was deleted', deleted(evaluationCollection), /alertRules .*: has no evaluation/],
  [
    'the count of an evaluation',
    altered(evaluationCollection, () => ({ alert_count: 7 })),
    /alertRules .*: counts 7 alerts, but has 1/,
  ],
  [
    'an evaluation of another workspace',
    altered(evaluationCollection, () => ({ workspace_id: absentId })),
    /alertRules .*: has an evaluation in workspace 01900000-0000-7000-8000-0000000000ff, which has no such rule/,
  ],
  ['alerts that were deleted', deleted(alertPageCollection), /alertRules .*: counts 1 alerts, but has 0/],
  [
    'the labels of an alert',
    altered(alertPageCollection, ({ alerts }) => ({ alerts: alerts.map(each => ({ ...each, labels: { a: 'b' } })) })),
    /alertRules .*: has an alert [0-9a-f]{16} with the labels of another alert/,
  ],
  [
    'a delivery that was deleted',
    deleted(deliveryCollection),
    /alertRules .*: has a notification .*\/hook, but no delivery would send it/,
  ],
  [
    'a delivery to a receiver of another name',
    async tx => {
      const [row] = await own(tx, deliveryCollection)
      await tx.insert(deliveryCollection, { ...all(row), id: `${rule}/other`, receiver: 'other' })
    },
    /alertRules .*: has a row .*\/other for a receiver that it does not name/,
  ],
  [
    'a notification that was deleted',
    deleted(notificationCollection),
    /alertRules .*: the delivery to hook is pending without a notification/,
  ],
  [
    'a secret of no receiver',
    tx =>
      tx.insert(receiverSecretCollection, { id: `${rule}/x`, rule_id: rule, workspace_id: workspace, wrapped: 'w' }),
    /alertRules .*: has a row .*\/x for a receiver that it does not name/,
  ],
  [
    'a limit',
    altered(limitCollection, () => ({ limit: 1_000_000 })),
    /quotaLimits .*: is 1000000, but the default limit of observability\..* is/,
  ],
  ['limits that were deleted', deleted(limitCollection), /quotaLimits .*: workspace .* has no limits/],
  [
    'the end of a silence',
    altered(silenceCollection, () => ({ end_time: '2020-01-01T00:00:00.000Z' })),
    /silences .*: starts at .*, after its end at 2020-01-01/,
  ],
  [
    'the matchers of a silence',
    altered(silenceCollection, ({ matchers }) => ({ matchers: matchers.map(each => ({ ...each, value: '' })) })),
    /silences .*: matches alerts that lack all of its labels/,
  ],
  [
    'the selector of a policy',
    altered(retentionPolicyCollection, ({ is_default }) => ({ selector: is_default ? '{a="b"}' : '{job="b"}' })),
    /retentionPolicies .*: (?:has the key of another selector|is a default, but has the selector)/,
  ],
  [
    'the next purge of a policy',
    async tx => {
      const [row] = await own(tx, retentionPolicyCollection)
      if (!row) throw new Error('there is no policy')
      const { next_purge_time: _time, ...rest } = row.value
      await tx.update(retentionPolicyCollection, row.id, rest, row.version)
    },
    /retentionPolicies .*: is active, but is never purged/,
  ],
  [
    'policies that were deleted',
    deleted(retentionPolicyCollection),
    /retentionPolicies .*: workspace .* has no retention policies/,
  ],
  [
    'telemetry that is to be deleted',
    tx => tx.insert(droppedCollection, { id: workspace }),
    /retentionPolicies .*: the telemetry of workspace .* is to be deleted, but the workspace still has its limits/,
  ],
  [
    'the state of a sink',
    altered(logSinkCollection, () => ({ state: 'OBSERVABILITY_LOG_SINK_STATE_ERROR' as const })),
    /logSinks .*: is OBSERVABILITY_LOG_SINK_STATE_ERROR, but its exports make it OBSERVABILITY_LOG_SINK_STATE_ACTIVE/,
  ],
  [
    'the destination of a sink',
    altered(logSinkCollection, () => ({ destination: {} })),
    /logSinks .*: has nothing as its destination/,
  ],
  [
    'a bucket that a sink no longer names',
    altered(logSinkCollection, () => ({ destination: { webhook: { url: 'https://a.example/' } } })),
    /logSinks .*: holds .*, which it does not use/,
  ],
  [
    'the reference of a sink',
    async tx => {
      const rows: Stored<unknown>[] = []
      for await (const row of tx.each(references, { holder_type: 'observability.logSinks' })) rows.push(row)
      for (const { id, version } of rows) await tx.delete(references, id, version)
    },
    /logSinks .*: does not hold the bucket .*, which could be deleted/,
  ],
  [
    'a sink that was deleted',
    deleted(logSinkCollection),
    /logSinks .*: has an export in workspace .*, which has no such sink/,
  ],
  [
    'an export that was deleted',
    deleted(sinkExportCollection),
    /logSinks .*: has no export of OBSERVABILITY_SINK_SOURCE_LOGS/,
  ],
  [
    'the source of an export',
    altered(sinkExportCollection, () => ({ source: 'OBSERVABILITY_SINK_SOURCE_ACTIVITIES' as const })),
    /logSinks .*: has the row .* for the export of OBSERVABILITY_SINK_SOURCE_ACTIVITIES/,
  ],
  [
    'the batch of an export',
    altered(sinkExportCollection, () => ({
      position: 5,
      batch: { first: 5, last: 6, position: 6, first_time: '2026-01-01T00:00:00.000Z' },
    })),
    /logSinks .*: has a batch of OBSERVABILITY_SINK_SOURCE_LOGS that does not follow the position 5/,
  ],
  [
    'the secret of a sink without a webhook',
    async tx => {
      const [row] = await own(tx, logSinkCollection)
      await tx.insert(sinkSecretCollection, { id: all(row).id, workspace_id: workspace, wrapped: 'w' })
    },
    /logSinks .*: has the secret of a webhook, but no webhook in the workspace of the secret/,
  ],
  [
    'a config that was deleted',
    deleted(ingestionConfigCollection),
    /ingestionConfigs .*: has a status, and the workspace/,
  ],
  [
    'the counts of a status',
    altered(ingestionStatusCollection, ({ stats }) => ({ stats: { ...stats, rejected: 0 } })),
    /ingestionConfigs .*: counts 0 refused samples, but 2 by reason/,
  ],
]

describe('the doctor', () => {
  it('finds nothing in sound rows', async () => expect(await doctorFindings(left)).toEqual([]))

  it.each(tampers)('names %s', async (_, change, message) => {
    const place = await copyPlace(left, storeCollections(areas), onTestFinished)
    const store = await openBeside(place, storeCollections(areas))
    await store.tx(change)
    await store.close()
    const findings = await doctorFindings(place)
    expect(findings.filter(finding => message.test(finding))).not.toEqual([])
  })
})
