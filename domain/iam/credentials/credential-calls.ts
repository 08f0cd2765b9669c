import type { IamArea } from '../../../output/iam/area.ts'
import { credentialNotDelivered } from '../../../output/iam/errors.ts'
import type {
  Credential,
  CredentialDelivery,
  CredentialPurpose,
  IamCredentialOperation,
  IamOperation,
} from '../../../output/iam/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { JsonText } from '../../../runtime/json.ts'
import { rulesOf, type FormRule } from '../../../runtime/form-rules.ts'
import { quoted } from '../../../runtime/refusal.ts'
import { parseDuration } from '../../../runtime/timestamps.ts'
import type { Effect } from '../../ports/operations.ts'
import type { Transaction } from '../../ports/store.ts'
import { withMembers } from '../../resources/json-text.ts'
import { credentialMail } from './credential-mails.ts'
import { mint, newToken } from './credential-tokens.ts'
import { mutateIam } from '../feed/iam-mutation.ts'
import type { IamEnvironment } from '../interfaces/iam-environment.ts'
import type { StoredUser } from '../collections/users-store.ts'

/** The shortest and longest lifetime of a token of each purpose, in milliseconds (iam.md 3). */
const lifetimes = {
  ACTIVATION: { min: 3_600_000, max: 604_800_000 },
  PASSWORD_RESET: { min: 300_000, max: 86_400_000 },
} as const satisfies Readonly<Record<CredentialPurpose, object>>

/** The input of a call that creates a credential token. */
export interface CredentialRequest {
  readonly purpose: CredentialPurpose
  readonly token_ttl: string
  /** The delivery of the token. Absent: NOTIFY if mails are configured, otherwise RETURN. */
  readonly delivery?: CredentialDelivery | undefined
}

/** The lifetime of a new credential token in milliseconds, and the function that stores the token. */
export interface CredentialTerms {
  readonly ttlMs: number
  /** Stores the token for a user that the transaction has locked. */
  mintFor(tx: Transaction, user: Pick<StoredUser, 'id' | 'email'>): Promise<void>
}

/** Returns the URL at which the token is used. The token is in the fragment, which reaches no server. */
export const credentialUrl = ({ settings }: Pick<IamEnvironment, 'settings'>, token: string): string =>
  `${settings.consoleUrl}/credential#${token}`

/** Returns the rule for the lifetime of a token, which must be neither too long nor too short. */
export const lifetimeForm = (purpose: CredentialPurpose): FormRule =>
  rulesOf<{ readonly token_ttl?: string }>()(['token_ttl'], function* ({ token_ttl }) {
    const { max, min } = lifetimes[purpose]
    if (token_ttl === undefined || (millisOf(token_ttl) >= min && millisOf(token_ttl) <= max)) return
    yield { field: 'token_ttl', description: `must be ${min / 1000}s to ${max / 1000}s, not ${quoted(token_ttl)}` }
  })

const millisOf = (duration: string): number => Number((parseDuration(duration) ?? -1n) / 1_000_000n)

/**
 * Runs a mutation that creates a credential token, and returns its operation. Only the first response or a mail
 * contains the token. The response to a retry and the stored operation do not contain the token (iam.md 1,
 * IamCredentialOperation).
 */
export async function mutateWithCredential(
  parts: IamEnvironment,
  context: CallContext,
  request: object,
  wanted: CredentialRequest,
  change: (tx: Transaction, terms: CredentialTerms) => Promise<Effect<IamArea>>,
): Promise<JsonText<IamCredentialOperation>> {
  const { purpose } = wanted
  const delivery = wanted.delivery ?? (parts.mailer.isConfigured ? 'NOTIFY' : 'RETURN')
  const ttlMs = millisOf(wanted.token_ttl)
  const token = newToken()
  const url = credentialUrl(parts, token.token)
  const minted: (Credential & { readonly to: string })[] = []
  const mintFor: CredentialTerms['mintFor'] = async (tx, { email, id }) => {
    const minted_by = context.principal?.id ?? ''
    const minting = { user: id, purpose, minted_by, delivery, now: context.now, ttlMs }
    const expire_time = await mint(tx, token, minting)
    tx.afterCommit(() => minted.push({ token: token.token, expire_time, url, to: email }))
  }
  const answer = await mutateIam(parts, context, request, tx => change(tx, { ttlMs, mintFor }))
  const [last] = minted
  if (last === undefined) return answer
  const { to, ...credential } = last
  if (delivery === 'RETURN') return withMembers(answer, { credential })
  const { expire_time } = credential
  return notified(parts, answer, () => parts.mailer.send(credentialMail({ to, purpose, url, expire_time })))
}

/**
 * Sends the mail and returns the response. If the mail server does not accept the mail, the stored operation and the
 * response receive a warning.
 */
async function notified(
  parts: IamEnvironment,
  answer: JsonText<IamOperation>,
  send: () => Promise<void>,
): Promise<JsonText<IamOperation>> {
  try {
    await send()
    return answer
  } catch {
    // The mailer has logged the cause. The caller can still create another token.
    return warned(parts, answer)
  }
}

const undelivered = {
  code: credentialNotDelivered.code,
  description:
    'the mail server did not accept the mail with the token in time; create a new token, or let the call return the token',
}

async function warned(
  { operations, store }: IamEnvironment,
  answer: JsonText<IamOperation>,
): Promise<JsonText<IamOperation>> {
  const { id }: IamOperation = JSON.parse(answer.text)
  return store.tx(async tx => {
    const stored = await tx.lock(operations.collection, id)
    if (stored === undefined) return answer
    const next = { ...stored.value, warnings: [...stored.value.warnings, undelivered] }
    return (await tx.update(operations.collection, id, next, stored.version)).text
  })
}
