import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { Ninefold } from '../../../../output/client.ts'
import type { AlertRule, AlertRuleInput } from '../../../../output/observability/types.ts'
import { observabilitySettings } from '../../../../server/observability/settings.ts'
import { GivenSettings } from '../../../../server/settings/values.ts'
import { addTenant } from '../../../areas/members.ts'
import { raceRounds } from '../../../areas/race.ts'
import { patient } from '../../../areas/patient-fetch.ts'
import { testPlatform, type TestPlatform } from '../../../areas/test-platform.ts'
import type { Later } from '../../../server/store/harness.ts'
import { webhookReceiver, type WebhookReceiver } from '../alerts/webhook-receiver.ts'
import { areasWithClock, MovedClock } from '../moved-clock.ts'

/** The largest delay of a call that races with workers, in milliseconds; a worker looks every 100 ms. */
const latestWorkMs = 250

/** The time limit of a race of observability, in milliseconds; a tick of rules takes seconds on a loaded machine. */
export const raceLimit = { timeout: 180_000 + raceRounds * 10_000 }

/** A platform whose alert rules are raced with calls. */
export interface RacedAlerts {
  readonly platform: TestPlatform
  readonly api: Ninefold['observability']
  /** A client of a second server on the same PostgreSQL; on SQLite the client `api`. */
  readonly other: Ninefold['observability']
  readonly at: { readonly workspace: string; readonly engine: string }
  readonly receiver: WebhookReceiver
  /** Creates a rule that always fires, with the interval and the group interval of 10 s and 30 s; returns its id. */
  create(name: string, more?: Partial<AlertRuleInput>): Promise<string>
  /** Begins the next tick of all rules. */
  begin(): void
  /** Waits until the rules are evaluated at the present tick unless they are disabled, and nothing is to be sent. */
  settle(ids: readonly string[]): Promise<readonly AlertRule[]>
}

/** Waits for a random time of at most `latestMs` milliseconds, and makes a call. */
export async function soon<T>(call: () => Promise<T>, latestMs = latestWorkMs): Promise<T> {
  await sleep(Math.random() * latestMs)
  return call()
}

/** Serves a platform, on PostgreSQL two of them, and a receiver of webhooks. */
export async function racedAlerts(later: Later): Promise<RacedAlerts> {
  const clock = new MovedClock()
  const given = new GivenSettings().with(observabilitySettings['observability.allow_private_targets'], ['127.0.0.0/8'])
  const areas = areasWithClock(clock)
  const platform = await testPlatform({ areas, config: { given }, later })
  const { storeUrl } = platform.config
  const second = storeUrl && (await testPlatform({ areas, config: { given, storeUrl }, later }))
  const { token } = await platform.admin()
  const clientOf = ({ from, transport }: TestPlatform) => new Ninefold(transport(token, { fetch: patient(from('')) }))
  const api = clientOf(platform)
  const other = second ? clientOf(second) : api
  const receiver = await webhookReceiver(later)
  const { workspace } = await addTenant(api, 'acme')
  const at = { workspace, engine: 'native' }
  const { observability } = api
  return {
    platform,
    api: observability,
    other: other.observability,
    at,
    receiver,
    async create(name, more = {}) {
      const body: AlertRuleInput = {
        name,
        query: 'vector(1)',
        evaluation_interval: '10s',
        group_interval: '30s',
        receivers: [{ name: 'first', webhook: { url: `${receiver.url}/first` } }],
        ...more,
      }
      return (await observability.createAlertRule({ ...at, body })).resource_id
    },
    begin: () => clock.next(),
    async settle(ids) {
      const tick = new Date(Math.floor(clock.now / 10_000) * 10_000).toISOString()
      const rules: AlertRule[] = []
      for (const id of ids) {
        await expect
          .poll(async () => {
            const { deliveries, enabled, last_evaluation_time } = await observability.getAlertRule({ ...at, id })
            return [!enabled || last_evaluation_time === tick, deliveries.some(({ pending }) => pending)]
          })
          .toEqual([true, false])
        rules.push(await observability.getAlertRule({ ...at, id }))
      }
      return rules
    },
  }
}
