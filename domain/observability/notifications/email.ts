import type { Mail } from '../../ports/mailer.ts'
import type { WebhookAlert, WebhookBody } from './webhook-body.ts'

/** The number of alerts that a mail shows. */
const shownAlerts = 100

/** The largest number of characters of a line of a mail. */
const maxLine = 900

/** Returns the mail with a notification, as plain text with a paragraph for each alert. */
export function notificationMail(
  to: readonly string[],
  { alerts, commonLabels, groupLabels, status, truncatedAlerts }: WebhookBody,
): Mail {
  const { alertname = '' } = groupLabels
  const firing = alerts.filter(alert => alert.status === 'firing').length
  const counts = [counted(firing, 'firing'), counted(alerts.length - firing, 'resolved')].filter(text => text !== '')
  const severity = commonLabels['severity'] === undefined ? '' : ` (${commonLabels['severity']})`
  const left = alerts.length - Math.min(alerts.length, shownAlerts) + truncatedAlerts
  return {
    to,
    subject: `[${status.toUpperCase()}] ${alertname}${severity}: ${counts.join(', ')}`,
    text: [
      ...alerts.slice(0, shownAlerts).map(paragraph),
      ...(left > 0 ? [`${left} further alerts are left out.`] : []),
    ].join('\n\n'),
  }
}

const counted = (count: number, what: string): string => (count === 0 ? '' : `${count} ${what}`)

function paragraph({ annotations, endsAt, generatorURL, labels, startsAt, status }: WebhookAlert): string {
  const line = (name: string, value: string): string => oneLine(`${name}: ${value}`)
  return [
    status === 'firing' ? `Firing since ${startsAt}` : `Resolved at ${endsAt}, fired at ${startsAt}`,
    ...Object.entries(annotations).map(([name, value]) => line(name, value)),
    ...Object.entries(labels)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, value]) => line(`  ${name}`, value)),
    generatorURL,
  ].join('\n')
}

/** Returns a text on one line: a label with a line feed cannot begin a line of its own. */
const oneLine = (text: string): string => {
  const flat = text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
  return flat.length > maxLine ? `${flat.slice(0, maxLine)}…` : flat
}
