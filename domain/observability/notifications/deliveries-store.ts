import type { AlertReceiver } from '../../../output/observability/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { sharedWhere, type Collection, type Stored, type Transaction, type Where } from '../../ports/store.ts'
import type { StoredAlertRule } from '../alerts/alert-rules-store.ts'
import { dueList } from '../alerts/due-rows.ts'
import { withEndsOf, webhookBody, type NotificationGroup, type WebhookAlert, type WebhookBody } from './webhook-body.ts'

/** The deliveries to a receiver of a rule, and the notification that is still to be sent. */
export interface Delivery {
  /** The id of the rule, a slash, and the name of the receiver. */
  readonly id: string
  readonly rule_id: string
  readonly workspace_id: string
  readonly receiver: string
  /** The host of the webhook, or `mail`. */
  readonly destination: string
  /** The id of the notification that is to be sent; empty if there is none. All attempts to send it have this id. */
  readonly notification_id: string
  /** The time of the next attempt; absent if there is nothing to send. */
  readonly next_time?: string
  /** The time after which no further attempt is made. */
  readonly until?: string
  /** The number of failed attempts to send the notification. */
  readonly attempts: number
  readonly last_success_time?: string
  readonly last_error: string
}

/** The notification that is to be sent to a receiver. */
export interface PendingNotification {
  /** The id of the delivery. */
  readonly id: string
  readonly rule_id: string
  readonly workspace_id: string
  readonly body: WebhookBody
}

/** The secret of a webhook, encrypted by the vault. */
export interface ReceiverSecret {
  /** The id of the delivery. */
  readonly id: string
  readonly rule_id: string
  readonly workspace_id: string
  readonly wrapped: string
}

const columns = { workspace_id: 'STRING', rule_id: 'STRING' } as const
const indexes = [['rule_id'], ['workspace_id']] as const

/** The deliveries to the receivers of all rules. */
export const deliveryCollection: Collection<Delivery> = {
  name: 'observability_alert_deliveries',
  id: 'id',
  list: dueList,
  columns,
  indexes,
}

/** The notifications that are to be sent. */
export const notificationCollection: Collection<PendingNotification> = {
  name: 'observability_alert_notifications',
  id: 'id',
  columns,
  indexes,
}

/** The secrets of webhooks. */
export const receiverSecretCollection: Collection<ReceiverSecret> = {
  name: 'observability_alert_secrets',
  id: 'id',
  columns,
  indexes,
}

/** The time for which a notification is tried, in milliseconds. */
const triedMs = 24 * 3_600_000

/** Returns the id of the delivery to a receiver. */
export const deliveryId = (rule: string, receiver: string): string => `${rule}/${receiver}`

/** A notification of a rule, before it is stored for its receivers. */
export interface NewNotification {
  readonly group: NotificationGroup
  readonly alerts: readonly WebhookAlert[]
  readonly nowMs: number
  /** Returns the id of a new notification. */
  readonly newId: () => string
}

/**
 * Stores a notification for a receiver of a rule, which the transaction has locked. The notification takes the place of
 * one that is still to be sent.
 */
export async function addNotification(
  tx: Transaction,
  { id: rule_id, workspace_id }: Pick<StoredAlertRule, 'id' | 'workspace_id'>,
  { name, webhook }: AlertReceiver,
  { alerts, group, newId, nowMs }: NewNotification,
): Promise<void> {
  const id = deliveryId(rule_id, name)
  const stored = await tx.lock(deliveryCollection, id)
  const older = await tx.get(notificationCollection, id)
  const told = older ? withEndsOf(older.value.body, alerts) : alerts
  const row = { id, rule_id, workspace_id, body: webhookBody(name, group, told) }
  const delivery = {
    ...(stored?.value ?? { id, rule_id, workspace_id, receiver: name, last_error: '' }),
    destination: webhook ? (URL.parse(webhook.url)?.host ?? '') : 'mail',
    notification_id: newId(),
    next_time: formatMillis(nowMs),
    until: formatMillis(nowMs + triedMs),
    attempts: 0,
  }
  if (older) await tx.update(notificationCollection, id, row, older.version)
  else await tx.insert(notificationCollection, row)
  if (stored) await tx.update(deliveryCollection, id, delivery, stored.version)
  else await tx.insert(deliveryCollection, delivery)
}

/** Deletes the notification of a delivery, and returns the delivery without it. */
export async function endNotification(tx: Transaction, { value }: Stored<Delivery>): Promise<Delivery> {
  const pending = await tx.get(notificationCollection, value.id)
  if (pending) await tx.delete(notificationCollection, pending.id, pending.version)
  const { next_time: _time, until: _until, ...rest } = value
  return { ...rest, notification_id: '', attempts: 0 }
}

/** Deletes the rows of the receivers of a rule except those with the names `kept`. */
export async function dropReceivers(tx: Transaction, rule: string, kept: ReadonlySet<string>): Promise<void> {
  const isLeft = (id: string): boolean => kept.has(id.slice(rule.length + 1))
  await dropRows(tx, deliveryCollection, rule, isLeft)
  await dropRows(tx, notificationCollection, rule, isLeft)
  await dropRows(tx, receiverSecretCollection, rule, isLeft)
}

interface OfRule {
  readonly rule_id: string
}

async function dropRows<T extends OfRule>(
  tx: Transaction,
  collection: Collection<T>,
  rule: string,
  isLeft: (id: string) => boolean,
): Promise<void> {
  const rows: { readonly id: string; readonly version: number }[] = []
  for await (const { id, version } of tx.each(
    collection,
    sharedWhere(collection, { rule_id: rule } satisfies Where<OfRule>),
  ))
    if (!isLeft(id)) rows.push({ id, version })
  for (const { id, version } of rows) await tx.delete(collection, id, version)
}
