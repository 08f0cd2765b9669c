import type { Turn, Worker } from '../../ports/workers.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { alertRuleCollection } from '../alerts/alert-rules-store.ts'
import { dueRows } from '../alerts/due-rows.ts'
import type { ObservabilityEnvironment } from '../environment.ts'
import {
  deliveryCollection,
  endNotification,
  notificationCollection,
  type Delivery,
} from '../notifications/deliveries-store.ts'
import { sendNotification, type SendingParts } from '../notifications/send-notification.ts'
import { BoundedWork } from './bounded-work.ts'

/** The time between two looks for notifications, in milliseconds. */
const everyMs = 500

/**
 * The notifications that are sent at one time, in all, of one workspace, and of one workspace to one host: a slow
 * receiver delays neither other workspaces nor other receivers.
 */
const limits = { total: 512, perWorkspace: 64, perDestination: 8 }

/** The time before the second attempt, and the longest time between two attempts, in milliseconds. */
const [firstDelayMs, longestDelayMs] = [1_000, 600_000] as const

/** The largest number of characters of an error. */
const maxError = 512

type NotifierParts = SendingParts & Pick<ObservabilityEnvironment, 'clock' | 'failed'>

/**
 * Returns the worker that sends stored notifications. A notification is stored with the states that it tells, and is
 * deleted once the receiver has taken it: a process that ends in between sends it again, with the same id and body.
 */
export function notifier(parts: NotifierParts): Worker {
  const { clock, failed, store } = parts
  const work = new BoundedWork(limits.total)
  return {
    name: 'observability.notifications',
    everyMs,
    async run(turn) {
      for await (const { value } of dueRows(store, deliveryCollection, clock.now())) {
        if (turn.signal.aborted || work.isFull) return
        const { destination, id, rule_id, workspace_id } = value
        const groups = [
          { name: workspace_id, limit: limits.perWorkspace },
          { name: `${workspace_id} ${destination}`, limit: limits.perDestination },
        ]
        work.start(id, groups, () =>
          deliver(parts, turn, value).catch((error: unknown) => {
            if (!turn.signal.aborted) failed(error, `observability.alertRules ${rule_id}`)
          }),
        )
      }
    },
  }
}

/** Makes one attempt to send a notification, and stores its outcome. */
async function deliver(parts: NotifierParts, turn: Turn, delivery: Delivery): Promise<void> {
  const { clock, store } = parts
  const rule = (await store.get(alertRuleCollection, delivery.rule_id))?.value
  const receiver = rule?.receivers.find(({ name }) => name === delivery.receiver)
  const pending = await store.get(notificationCollection, delivery.id)
  if (!receiver || !pending) return
  const error = await sendNotification(parts, receiver, delivery, pending.value, turn.signal).then(
    () => undefined,
    (fault: unknown) => (fault instanceof Error ? fault.message : 'the notification was not taken'),
  )
  if (error !== undefined) turn.signal.throwIfAborted()
  await turn.tx(async tx => {
    const stored = await tx.lock(deliveryCollection, delivery.id)
    if (!stored) return
    const { id, value, version } = stored
    // A newer notification has taken the place of the one that was sent, and stays to be sent.
    const isSame = value.notification_id === delivery.notification_id
    const nowMs = clock.now()
    if (error === undefined) {
      const left = isSame ? await endNotification(tx, stored) : value
      await tx.update(
        deliveryCollection,
        id,
        { ...left, last_success_time: formatMillis(nowMs), last_error: '' },
        version,
      )
      return
    }
    const last_error = error.slice(0, maxError)
    const next = isSame ? nextAttempt(value, nowMs) : value
    const left = next ?? (await endNotification(tx, stored))
    await tx.update(deliveryCollection, id, { ...left, last_error }, version)
  })
}

/** Returns a delivery after a failed attempt; undefined if its notification is given up. */
function nextAttempt(delivery: Delivery, nowMs: number): Delivery | undefined {
  const delayMs = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(delivery.attempts, 20))
  const nextMs = nowMs + delayMs
  if (nextMs > Date.parse(delivery.until ?? '')) return undefined
  return { ...delivery, attempts: delivery.attempts + 1, next_time: formatMillis(nextMs) }
}
