import type { Labels } from '../metrics/samples.ts'
import type { TrackedAlert } from '../alerts/alerts-store.ts'

/** An alert in a webhook of Alertmanager. */
export interface WebhookAlert {
  readonly status: 'firing' | 'resolved'
  readonly labels: Labels
  readonly annotations: Labels
  readonly startsAt: string
  readonly endsAt: string
  readonly generatorURL: string
  readonly fingerprint: string
}

/** The body of a webhook of Alertmanager, version 4, with its members in the order of Alertmanager. */
export interface WebhookBody {
  readonly receiver: string
  readonly status: 'firing' | 'resolved'
  readonly alerts: readonly WebhookAlert[]
  readonly groupLabels: Labels
  readonly commonLabels: Labels
  readonly commonAnnotations: Labels
  readonly externalURL: string
  readonly version: '4'
  readonly groupKey: string
  /** The number of alerts that are left out. */
  readonly truncatedAlerts: number
}

/** The members that are the same in all notifications of a rule. */
export interface NotificationGroup {
  readonly rule: { readonly id: string; readonly name: string }
  /** The address of the platform, without a slash at its end. */
  readonly externalUrl: string
  /** The address of the rule in the API. */
  readonly ruleUrl: string
}

/** The largest number of alerts and of characters of alerts in a notification; the first alert is always in it. */
const [maxAlerts, maxCharacters] = [1000, 512 * 1024] as const

/** The time of the end in an alert that fires. */
const noEnd = '0001-01-01T00:00:00Z'

/** Returns an alert in the form of a webhook. */
export function webhookAlert(alert: TrackedAlert, ruleUrl: string): WebhookAlert {
  const { activeMs, annotations, fingerprint, firedMs = activeMs, goneMs, labels, state } = alert
  const isOver = state === 'ENDED' && goneMs !== undefined
  return {
    status: isOver ? 'resolved' : 'firing',
    labels,
    annotations,
    startsAt: shortTime(firedMs),
    endsAt: isOver ? shortTime(goneMs) : noEnd,
    generatorURL: ruleUrl,
    fingerprint,
  }
}

/** Returns the body of a notification to a receiver; the alerts that fire stand first. */
export function webhookBody(
  receiver: string,
  { externalUrl, rule }: NotificationGroup,
  all: readonly WebhookAlert[],
): WebhookBody {
  const alerts = bounded(all)
  const groupLabels = { alert_rule_id: rule.id, alertname: rule.name }
  return {
    receiver,
    status: alerts.some(({ status }) => status === 'firing') ? 'firing' : 'resolved',
    alerts,
    groupLabels,
    commonLabels: common(alerts.map(({ labels }) => labels)),
    commonAnnotations: common(alerts.map(({ annotations }) => annotations)),
    externalURL: externalUrl,
    version: '4',
    groupKey: `{}:{alert_rule_id="${rule.id}", alertname="${rule.name}"}`,
    truncatedAlerts: all.length - alerts.length,
  }
}

/**
 * Returns the alerts of a notification that takes the place of one that is still to be sent: the ends of alerts that
 * only the older one tells are kept.
 */
export function withEndsOf(older: WebhookBody, alerts: readonly WebhookAlert[]): readonly WebhookAlert[] {
  const told = new Set(alerts.map(({ fingerprint }) => fingerprint))
  return [...alerts, ...older.alerts.filter(each => each.status === 'resolved' && !told.has(each.fingerprint))]
}

function bounded(alerts: readonly WebhookAlert[]): readonly WebhookAlert[] {
  let characters = 0
  const end = alerts.findIndex((alert, index) => {
    characters += JSON.stringify(alert).length
    return index > 0 && (index >= maxAlerts || characters > maxCharacters)
  })
  return end < 0 ? alerts : alerts.slice(0, end)
}

/** Returns the members that all of some maps have with the same value. */
function common([first = {}, ...others]: readonly Labels[]): Labels {
  return Object.fromEntries(
    Object.entries(first).filter(([name, value]) =>
      others.every(other => Object.hasOwn(other, name) && other[name] === value),
    ),
  )
}

/** Returns a time as Go writes it: without zeros at the end of the fraction. */
const shortTime = (ms: number): string => new Date(ms).toISOString().replace(/\.?0+Z$/, 'Z')
