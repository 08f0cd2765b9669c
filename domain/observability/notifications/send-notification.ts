import type { AlertReceiver } from '../../../output/observability/types.ts'
import type { Reader } from '../../ports/store.ts'
import type { Vault } from '../../ports/vault.ts'
import type { ObservabilityEnvironment } from '../environment.ts'
import type { Delivery, PendingNotification } from './deliveries-store.ts'
import { receiverSecretCollection } from './deliveries-store.ts'
import { notificationMail } from './email.ts'
import { signed } from './webhook-secret.ts'

/** The longest time until a webhook has answered, in milliseconds. */
const timeoutMs = 10_000

/** The parts that send notifications. */
export type SendingParts = Pick<ObservabilityEnvironment, 'functions' | 'mailer' | 'outbound' | 'store'>

/**
 * Sends a notification to a receiver: as the webhook of Alertmanager, or as a mail. Rejects with an Error whose message
 * says why the receiver has not taken the notification, without secrets.
 */
export async function sendNotification(
  parts: SendingParts,
  { email, webhook }: AlertReceiver,
  { id, notification_id }: Pick<Delivery, 'id' | 'notification_id'>,
  { body }: Pick<PendingNotification, 'body'>,
  signal: AbortSignal,
): Promise<void> {
  if (email) return sendMail(parts, email.to, body)
  if (!webhook) throw new Error('the receiver has neither a webhook nor addresses')
  const bytes = Buffer.from(JSON.stringify(body), 'utf8')
  const { status } = await parts.outbound.send({
    method: 'POST',
    url: webhook.url,
    http: 'to-private-targets',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Ninefold',
      // The id is the same in all attempts, so that a receiver can recognise a repetition.
      'x-ninefold-notification': notification_id,
      ...(await signatureOf(parts, id, bytes)),
    },
    body: bytes,
    timeoutMs,
    signal,
  })
  if (status < 200 || status > 299) throw new Error(`the receiver answered with status ${status}`)
}

async function sendMail({ mailer }: SendingParts, to: readonly string[], body: PendingNotification['body']) {
  if (!mailer.isConfigured) throw new Error('e-mail needs the setting mail.smtp_url')
  await mailer.send(notificationMail(to, body)).catch(() => {
    // The mailer has logged the cause, whose text may hold addresses.
    throw new Error('the mail server did not take the mail')
  })
}

/** Returns the signature of a body by the secret of a receiver; no header for a webhook without a secret. */
async function signatureOf(
  { functions, store }: { readonly functions: { readonly vault: Vault | undefined }; readonly store: Reader },
  id: string,
  bytes: Uint8Array,
): Promise<Readonly<Record<string, string>>> {
  const stored = await store.get(receiverSecretCollection, id)
  return stored ? signed(functions.vault, stored.value.wrapped, bytes) : {}
}
