import { expect } from 'vitest'
import { systemPrincipalId } from '../../../../domain/ports/reserved.ts'
import type { Ninefold } from '../../../../output/client.ts'
import type { CryptoKey, VaultOperation } from '../../../../output/vault/types.ts'
import { isEnded } from '../../../../runtime/operations.ts'
import { outcomeOf } from '../../outcomes.ts'
import type { Sets } from '../../../server/killed/journal.ts'
import type { Kept } from '../../../server/killed/reckoning.ts'
import { base64, secretCalls } from '../tenant-secrets.ts'
import { keySets, refusals, type LoadedState } from './key-actor.ts'
import type { Proof } from './proofs.ts'
import { destroyedText } from './secret-actor.ts'

const page_size = 100

/** The limit of the wait for due work and operations, in milliseconds. */
const patienceMs = 60_000

/** Waits until no operation is open and no version with the window of a second is still to be destroyed. */
export async function settled({ vault }: Ninefold, at: Place): Promise<void> {
  const left = async (): Promise<readonly string[]> => {
    const found: string[] = []
    for await (const operation of vault.iterateOperations({ page_size }))
      if (!isEnded(operation)) found.push(operation.id)
    for await (const key of vault.iterateCryptoKeys({ ...at, page_size })) {
      if (key.destroy_scheduled_duration !== '1s') continue
      const { versions } = await vault.listCryptoKeyVersions({ ...at, cryptokey: key.id })
      const isLeft = versions.some(({ state }) => state === 'VAULT_CRYPTO_KEY_VERSION_STATE_DESTROY_SCHEDULED')
      if (isLeft || key.state === 'VAULT_CRYPTO_KEY_STATE_DELETE_SCHEDULED') found.push(key.id)
    }
    return found
  }
  await expect.poll(left, { timeout: patienceMs, interval: 250 }).toEqual([])
}

interface Place {
  readonly workspace: string
  readonly engine: string
}

/** Reads all secrets, keys and capsules of a workspace, and the operations of its callers. */
export async function readKept(api: Ninefold, at: Place): Promise<Kept> {
  const { vault } = api
  const things = [...(await keptSecrets(api, at)), ...(await keptKeys(api, at))]
  for await (const { name, state } of vault.iterateCapsules({ ...at, page_size }))
    things.push([name, { isRevoked: String(state === 'VAULT_CAPSULE_STATE_REVOKED') }])
  const operations: VaultOperation[] = []
  for await (const operation of vault.iterateOperations({ page_size, order_by: 'insert_time' }))
    if (operation.principal_id !== systemPrincipalId) operations.push(operation)
  return { area: 'vault', operations, things }
}

async function keptSecrets(api: Ninefold, at: Place): Promise<(readonly [string, Sets])[]> {
  const { read } = secretCalls({ api }, at.workspace)
  const things: (readonly [string, Sets])[] = []
  for await (const { description, id, latest_version, name } of api.vault.iterateSecrets({ ...at, page_size })) {
    let value = ''
    const outcome = latest_version === '' ? '' : await outcomeOf(read(id, 'latest').then(text => void (value = text)))
    if (outcome === 'SECRET_VERSION_DESTROYED') value = destroyedText
    things.push([name, { description, value }])
  }
  return things
}

async function keptKeys({ vault }: Ninefold, at: Place): Promise<(readonly [string, Sets])[]> {
  const things: (readonly [string, Sets])[] = []
  for await (const key of vault.iterateCryptoKeys({ ...at, page_size })) {
    const states = await statesOf({ vault }, at, key)
    things.push([key.name, keySets(key.primary_version ?? '', states)])
  }
  return things
}

/** Returns the states of the versions of a key, from version 1. */
async function statesOf(
  { vault }: Pick<Ninefold, 'vault'>,
  at: Place,
  { id: cryptokey }: Pick<CryptoKey, 'id'>,
): Promise<readonly LoadedState[]> {
  const { versions } = await vault.listCryptoKeyVersions({ ...at, cryptokey })
  return versions
    .toSorted((a, b) => Number(a.id) - Number(b.id))
    .map(({ state }) => {
      if (state === 'VAULT_CRYPTO_KEY_VERSION_STATE_ENABLED') return 'ENABLED'
      return state === 'VAULT_CRYPTO_KEY_VERSION_STATE_DISABLED' ? 'DISABLED' : 'DESTROYED'
    })
}

/**
 * Returns the proofs that the vault contradicts: a redeemed capsule that is not redeemed or opens again, another text,
 * and a version that decrypts although it is destroyed or disabled, or does not decrypt although it is enabled.
 */
export async function contradicted(api: Ninefold, at: Place, proofs: readonly Proof[]): Promise<readonly string[]> {
  const faults: string[] = []
  const redeemed = new Set(proofs.flatMap(proof => (proof.kind === 'redeemed' ? [proof.id] : [])))
  for (const proof of proofs) {
    if (proof.kind === 'fault') faults.push(proof.message)
    if (proof.kind === 'capsule') faults.push(...(await capsuleFaults(api, at, proof, redeemed.has(proof.id))))
    if (proof.kind === 'ciphertext') faults.push(...(await ciphertextFaults(api, at, proof)))
  }
  return faults
}

async function capsuleFaults(
  { vault }: Ninefold,
  at: Place,
  { id, text, token }: Extract<Proof, { kind: 'capsule' }>,
  wasRedeemed: boolean,
): Promise<readonly string[]> {
  const { state } = await vault.getCapsule({ ...at, id })
  if (wasRedeemed && state !== 'VAULT_CAPSULE_STATE_REDEEMED') return [`capsule ${id} was redeemed and is ${state}`]
  const redeem = async (): Promise<string> => {
    let data = ''
    const outcome = await outcomeOf(
      vault.redeemCapsule({ id, body: { token } }).then(({ payload }) => void (data = payload.data)),
    )
    return outcome === 'OK' ? data : outcome
  }
  const expected = state === 'VAULT_CAPSULE_STATE_ACTIVE' ? base64(text) : 'CAPSULE_NOT_ACTIVE'
  const found = [await redeem(), await redeem()]
  return found[0] === expected && found[1] === 'CAPSULE_NOT_ACTIVE' ? [] : [`${state} capsule ${id} answered ${found}`]
}

async function ciphertextFaults(
  { vault }: Ninefold,
  at: Place,
  { ciphertext, key: id, text, version }: Extract<Proof, { kind: 'ciphertext' }>,
): Promise<readonly string[]> {
  let state: LoadedState | undefined
  const found = await outcomeOf(
    statesOf({ vault }, at, { id }).then(states => void (state = states[Number(version) - 1])),
  )
  let plaintext = ''
  const outcome = await outcomeOf(
    vault.decrypt({ ...at, id, body: { ciphertext } }).then(answer => void (plaintext = answer.plaintext)),
  )
  const expected = found === 'OK' ? (refusals[state ?? 'ENABLED'] ?? 'OK') : 'CRYPTO_KEY_NOT_FOUND'
  if (outcome !== expected) return [`version ${version} of key ${id} is ${state}, and answered ${outcome}`]
  return plaintext === '' || plaintext === base64(text) ? [] : [`version ${version} of key ${id} made another text`]
}
