import {
  capsuleNotActive,
  capsulePassphraseInvalid,
  capsuleRecipientMismatch,
  capsuleTokenInvalid,
  storedDataCorrupt,
} from '../../../output/vault/errors.ts'
import type { ParsedRedeemCapsuleRequest, RedeemCapsuleResponse } from '../../../output/vault/types.ts'
import { workspaceNotActive } from '../../../output/shared/errors.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { ApiError } from '../../../runtime/errors.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Reader, Stored, Transaction } from '../../ports/store.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { redeemActivity } from '../audit/redeem-activity.ts'
import type { VaultEnvironment } from '../environment.ts'
import { crc32c } from '../../resources/crc32c.ts'
import { setAgenda } from '../work/agenda.ts'
import { endCapsule } from './capsule-end.ts'
import { capsuleKind } from './capsule-kind.ts'
import { capsuleLabel, openPayload, passphraseKey } from './capsule-key.ts'
import { isExhausted, stateAt } from './capsule-state.ts'
import { fitsToken, storedDigest } from './capsule-token.ts'
import { capsuleCollection, capsulePayloads, capsuleState, type StoredCapsule } from './capsules-store.ts'
import type { RedeemThrottle } from './redeem-throttle.ts'

/**
 * Redeems a capsule at most once: the payload is erased in the transaction that marks the capsule REDEEMED, before the
 * answer. The checks run in the order of vault.md 4.4: token, state, workspace, recipient, passphrase.
 */
export async function redeemCapsule(
  environment: VaultEnvironment,
  throttle: RedeemThrottle,
  request: ParsedRedeemCapsuleRequest,
  context: CallContext,
): Promise<RedeemCapsuleResponse> {
  const { scrub, store } = environment
  const capsule = await requireToken(store, throttle, request, context)
  await requireRedeemable(environment, store, capsule, context)
  const { passphrase } = request.body
  if (capsule.salt !== '') {
    if (passphrase === '') throw wrongPassphrase(capsule, capsule.failed_attempts)
    await store.tx(tx => takeAttempt(environment, tx, capsule.id, context))
  }
  const key = await passphraseKey(passphrase, capsule.salt)
  const payload = await store.tx(tx => open(environment, tx, { request, key }, context))
  key.fill(0)
  // Without a passphrase, the right token opens every payload that is authentic.
  if (payload === undefined && capsule.salt === '') throw corruptPayload(environment, capsule)
  if (payload === undefined) throw await failAttempt(environment, capsule.id, context)
  await scrub()
  const answer = {
    payload: { data: payload.toString('base64'), data_crc32c: crc32c(payload) },
    content_type: capsule.content_type,
    create_time: capsule.create_time,
  }
  payload.fill(0)
  return answer
}

/**
 * The text of a row that belongs to no capsule. Its digest is read for an unknown capsule, so that an unknown capsule
 * takes as long as a wrong token, with the time to read the row.
 */
const noRow = JSON.stringify({
  ...Object.fromEntries(Array.from({ length: 26 }, (_, i) => [`a_name_of_a_member_${i}`, 'a value of some length'])),
  token_sha256: storedDigest(''),
})

const noDigest = (): string => {
  const { token_sha256 }: Pick<StoredCapsule, 'token_sha256'> = JSON.parse(noRow)
  return token_sha256
}

/** Returns the capsule of a right token. Throws CAPSULE_TOKEN_INVALID, and CAPSULE_THROTTLED after many wrong tokens. */
async function requireToken(
  reader: Reader,
  throttle: RedeemThrottle,
  { body, id }: ParsedRedeemCapsuleRequest,
  { clientAddress, now }: CallContext,
): Promise<StoredCapsule> {
  const stored = await reader.get(capsuleCollection, id)
  if (fitsToken(body.token, stored?.value.token_sha256 ?? noDigest()) && stored) return stored.value
  throttle.count(clientAddress, now)
  throw unknownToken()
}

/** Throws CAPSULE_NOT_ACTIVE, WORKSPACE_NOT_ACTIVE or CAPSULE_RECIPIENT_MISMATCH. */
async function requireRedeemable(
  { taxonomy }: VaultEnvironment,
  reader: Reader,
  capsule: StoredCapsule,
  { now, principal }: CallContext,
): Promise<void> {
  requireActive(capsule, now)
  const { recipient_principal_id: recipient, workspace_id } = capsule
  const effective = await taxonomy.effectiveState(reader, workspaceScope(workspace_id))
  // The recipient may not be a member of the workspace, so the error does not say which node of the tree is suspended.
  if (effective?.state !== 'ACTIVE') throw hiddenWorkspace(capsule)
  if (recipient === '' || recipient === principal?.id) return
  throw capsuleRecipientMismatch('the capsule is for another principal; sign in as its recipient')
}

function hiddenWorkspace({ id: subject }: StoredCapsule): ApiError {
  const hidden = { effective_state: '', blocking_scope_type: '', blocking_scope_id: '' }
  const message = 'the workspace of the capsule is not active; ask the sender of the capsule'
  const precondition = [{ type: 'STATE', subject, description: 'the workspace of the capsule must be ACTIVE' }]
  const { code, details, domain, reason, rpc } = workspaceNotActive(message, hidden, { precondition })
  return new ApiError({ code, domain, reason, rpc }, message, {}, details)
}

/** Throws CAPSULE_NOT_ACTIVE for a capsule that has ended or expired. */
export function requireActive(capsule: StoredCapsule, now: number): void {
  const state = stateAt(capsule, now)
  if (state === capsuleState('ACTIVE')) return
  const { id } = capsule
  throw capsuleNotActive(
    `the capsule is ${state}; ask the sender for a new capsule`,
    { state },
    {
      resource: { type: capsuleKind.type, name: id },
      precondition: [{ type: 'STATE', subject: id, description: 'the capsule must be ACTIVE' }],
    },
  )
}

/** The time after which the last attempt counts as wrong if its server has not recorded the outcome, in milliseconds. */
const attemptMs = 60_000

/**
 * Takes an attempt before the passphrase is checked, so that parallel guesses cannot exceed the number of attempts. With
 * the last attempt, the lock of the capsule becomes due work, because the server may be killed before the outcome. Throws
 * CAPSULE_PASSPHRASE_INVALID if no attempt is left.
 */
async function takeAttempt(
  environment: VaultEnvironment,
  tx: Transaction,
  id: string,
  context: CallContext,
): Promise<void> {
  const { value, version } = await lockRedeemable(environment, tx, id, context)
  if (isExhausted(value)) throw wrongPassphrase(value, value.failed_attempts)
  const taken = { ...value, failed_attempts: value.failed_attempts + 1 }
  await tx.update(capsuleCollection, id, taken, version)
  const due = Math.min(Date.parse(value.expire_time), context.now + attemptMs)
  if (isExhausted(taken)) await setAgenda(tx, 'capsules.expire', value, formatMillis(due))
}

/** Opens, erases and marks a capsule in one transaction; undefined for a wrong passphrase. Gives the attempt back. */
async function open(
  environment: VaultEnvironment,
  tx: Transaction,
  { key, request }: { readonly key: Buffer; readonly request: ParsedRedeemCapsuleRequest },
  context: CallContext,
): Promise<Buffer | undefined> {
  const { id, body } = request
  const stored = await lockRedeemable(environment, tx, id, context)
  const { failed_attempts, salt, workspace_id } = stored.value
  const sealed = await tx.get(capsulePayloads, id)
  if (!sealed) throw corruptPayload(environment, stored.value)
  const workspaceKey = await environment.keyring.derive(tx, workspace_id, capsuleLabel)
  const payload = openPayload({ id, token: body.token, passphrase: key, workspaceKey }, sealed.value.sealed)
  workspaceKey.fill(0)
  if (!payload) return undefined
  await endCapsule(tx, stored, 'REDEEMED', context.now, {
    failed_attempts: salt === '' ? failed_attempts : failed_attempts - 1,
    redeem_time: formatMillis(context.now),
    redeemed_by_principal_id: context.principal?.id ?? '',
    redeemed_from_ip: context.clientAddress,
  })
  await environment.audit.recordActivity(tx, redeemActivity(context, stored.value))
  return payload
}

/** Ends a wrong attempt: locks the capsule after the last attempt. Returns the error. */
async function failAttempt({ scrub, store }: VaultEnvironment, id: string, { now }: CallContext) {
  const { error, isOver } = await store.tx(async tx => {
    const stored = await tx.lock(capsuleCollection, id)
    if (!stored) return { error: unknownToken(), isOver: false }
    const { failed_attempts, state } = stored.value
    const isOver = isExhausted(stored.value) && state === capsuleState('ACTIVE')
    if (isOver) await endCapsule(tx, stored, 'LOCKED', now)
    return { error: wrongPassphrase(stored.value, failed_attempts), isOver }
  })
  if (isOver) await scrub()
  return error
}

async function lockRedeemable(
  environment: VaultEnvironment,
  tx: Transaction,
  id: string,
  context: CallContext,
): Promise<Stored<StoredCapsule>> {
  const seen = await tx.get(capsuleCollection, id)
  if (seen) await environment.taxonomy.share(tx, workspaceScope(seen.value.workspace_id))
  const stored = await tx.lock(capsuleCollection, id)
  if (!stored) throw unknownToken()
  await requireRedeemable(environment, tx, stored.value, context)
  return stored
}

const unknownToken = () => capsuleTokenInvalid('the token does not belong to this capsule; ask the sender for the link')

const wrongPassphrase = ({ max_attempts }: StoredCapsule, failed: number) => {
  const attempts_left = String(Math.max(0, max_attempts - failed))
  const description = `is not the passphrase of the capsule; ${attempts_left} attempts are left`
  return capsulePassphraseInvalid(
    `passphrase: ${description}`,
    { attempts_left },
    {
      badRequest: [{ field: 'passphrase', description }],
    },
  )
}

function corruptPayload({ keyring }: VaultEnvironment, { id: name, workspace_id }: StoredCapsule): ApiError {
  const message = `the stored payload of capsule ${name} is not authentic; restore it from a backup`
  return keyring.corrupt(workspace_id, storedDataCorrupt(message, { resource: { type: capsuleKind.type, name } }))
}
