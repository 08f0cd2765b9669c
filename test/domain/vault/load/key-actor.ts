import type { Steps } from '../../../areas/kill/run-load.ts'
import { seeded } from '../../../areas/random.ts'
import type { Intent, Sets } from '../../../server/killed/journal.ts'
import { base64, engine } from '../tenant-secrets.ts'
import { answered, type VaultActing } from './acting.ts'

/** The state of a version in a journal; a version whose destruction is scheduled counts as destroyed. */
export type LoadedState = 'ENABLED' | 'DISABLED' | 'DESTROYED'

interface Ciphertext {
  readonly version: string
  readonly text: string
  readonly ciphertext: string
}

interface KnownKey {
  readonly name: string
  readonly id: string
  /** Whether the worker destroys a version a second after the call; otherwise the destruction can be cancelled. */
  readonly isShort: boolean
  readonly primary: string
  /** The states of the versions, from version 1. */
  readonly states: readonly LoadedState[]
  readonly ciphertexts: readonly Ciphertext[]
}

type Named = Pick<KnownKey, 'name' | 'primary' | 'states'>

const mostKeys = 3
const mostVersions = 6
const mostCiphertexts = 12

/** The reason for which a version in a state does not decrypt; undefined if the version decrypts. */
export const refusals = {
  ENABLED: undefined,
  DISABLED: 'KEY_VERSION_DISABLED',
  DESTROYED: 'KEY_VERSION_DESTROYED',
} as const

/** Returns the state of a key in the terms of a journal. */
export const keySets = (primary: string, states: readonly LoadedState[]): Sets => ({
  primary,
  states: states.join(' '),
})

/**
 * An actor that sequentially creates, rotates and deletes crypto keys, changes the states of their versions, and encrypts
 * and decrypts. The actor proves every decryption that contradicts an acknowledged change.
 */
export class KeyActor implements Steps {
  readonly #parts: VaultActing
  readonly #random = seeded(process.pid + performance.now())
  #keys: readonly KnownKey[] = []
  #count = 0

  constructor(parts: VaultActing) {
    this.#parts = parts
  }

  step(): Promise<void> {
    const isFew = this.#keys.length < mostKeys
    if (this.#keys.length === 0 || (isFew && this.#random.percent(20))) return this.#create()
    if (this.#random.percent(4)) return this.#generate()
    const key = this.#random.oneOf(this.#keys)
    const choice = this.#random.below(100)
    if (choice < 25) return this.#encrypt(key)
    if (choice < 50) return this.#decrypt(key)
    if (choice < 65 && key.states.length < mostVersions) return this.#rotate(key)
    if (choice < 95) return this.#change(key, 1 + this.#random.below(key.states.length))
    return key.isShort ? this.#delete(key) : this.#encrypt(key)
  }

  #intent(operationType: Intent['operationType'], key: Named, resourceType = 'cryptoKeyVersions'): Intent {
    const intent = `${this.#parts.name}-${(this.#count += 1)}`
    const sets = operationType === 'DELETE' ? null : keySets(key.primary, key.states)
    return { intent, operationType, resourceType, thing: key.name, sets }
  }

  async #create(): Promise<void> {
    const { client, make, name: prefix, workspace } = this.#parts
    const isShort = this.#random.percent(50)
    const key = { name: `${prefix}-key-${this.#count}`, primary: '1', states: ['ENABLED'] } as const
    const body = {
      name: key.name,
      purpose: 'VAULT_CRYPTO_KEY_PURPOSE_ENCRYPT_DECRYPT',
      ...(isShort && { destroy_scheduled_duration: '1s' }),
    } as const
    const operation = await make(this.#intent('CREATE', key, 'cryptoKeys'), options =>
      client.createCryptoKey({ workspace, engine, body }, options),
    )
    if (operation) this.#keys = [...this.#keys, { ...key, id: operation.resource_id, isShort, ciphertexts: [] }]
  }

  /** Creates a key whose material a procedure generates after the answer. */
  async #generate(): Promise<void> {
    const { client, make, name: prefix, workspace } = this.#parts
    const key = { name: `${prefix}-rsa-${this.#count}`, primary: '1', states: ['ENABLED'] } as const
    const body = {
      name: key.name,
      purpose: 'VAULT_CRYPTO_KEY_PURPOSE_ASYMMETRIC_SIGN',
      algorithm: 'VAULT_CRYPTO_KEY_ALGORITHM_RSA_PSS_2048_SHA256',
    } as const
    await make(this.#intent('CREATE', key, 'cryptoKeys'), options =>
      client.createCryptoKey({ workspace, engine, body }, options),
    )
  }

  async #rotate(key: KnownKey): Promise<void> {
    const { client, make, workspace } = this.#parts
    const states = [...key.states, 'ENABLED'] as const
    const changed = { ...key, states, primary: String(states.length) }
    await make(this.#intent('ROTATE', changed), options =>
      client.rotateCryptoKey({ workspace, engine, id: key.id, body: {} }, options),
    )
    this.#replace(key, changed)
  }

  /** Disables, enables or destroys a version, or cancels its destruction. */
  #change(key: KnownKey, number: number): Promise<void> {
    const { client, workspace } = this.#parts
    const state = key.states[number - 1]
    const version = { workspace, engine, cryptokey: key.id, id: String(number) }
    if (state === 'DESTROYED') {
      if (key.isShort) return this.#decrypt(key)
      return this.#set(key, number, ['CANCEL_DESTROY', 'DISABLED'], options =>
        client.cancelDestroyCryptoKeyVersion({ ...version, body: {} }, options),
      )
    }
    if (String(number) !== key.primary && this.#random.percent(40))
      return this.#set(key, number, ['DESTROY', 'DESTROYED'], options =>
        client.destroyCryptoKeyVersion({ ...version, body: {} }, options),
      )
    const disabled = state === 'ENABLED'
    return this.#set(key, number, disabled ? ['DISABLE', 'DISABLED'] : ['ENABLE', 'ENABLED'], options =>
      client.disableCryptoKeyVersion({ ...version, body: { disabled } }, options),
    )
  }

  async #set(
    key: KnownKey,
    number: number,
    [type, state]: readonly [Intent['operationType'], LoadedState],
    call: Parameters<VaultActing['make']>[1],
  ): Promise<void> {
    const changed = { ...key, states: key.states.with(number - 1, state) }
    await this.#parts.make(this.#intent(type, changed), call)
    this.#replace(key, changed)
  }

  async #delete(key: KnownKey): Promise<void> {
    const { client, make, workspace } = this.#parts
    await make(this.#intent('DELETE', key, 'cryptoKeys'), options =>
      client.deleteCryptoKey({ workspace, engine, id: key.id }, options),
    )
    this.#keys = this.#keys.filter(each => each !== key)
  }

  async #encrypt(key: KnownKey): Promise<void> {
    const { client, name, prove, workspace } = this.#parts
    const text = `text ${name} ${(this.#count += 1)}`
    const body = { plaintext: base64(text) }
    const answer = await answered(() => client.encrypt({ workspace, engine, id: key.id, body }))
    const expected = refusals[key.states[Number(key.primary) - 1] ?? 'ENABLED']
    if (answer.refused !== expected)
      return this.#fault(`encryption with ${key.name} ended with`, answer.refused, expected)
    if (answer.value === undefined) return
    const made = { version: key.primary, text, ciphertext: answer.value.ciphertext }
    prove({ kind: 'ciphertext', key: key.id, ...made })
    this.#replace(key, { ...key, ciphertexts: [...key.ciphertexts, made].slice(-mostCiphertexts) })
  }

  async #decrypt(key: KnownKey): Promise<void> {
    const { client, workspace } = this.#parts
    if (key.ciphertexts.length === 0) return this.#encrypt(key)
    const { ciphertext, text, version } = this.#random.oneOf(key.ciphertexts)
    const { refused, value } = await answered(() =>
      client.decrypt({ workspace, engine, id: key.id, body: { ciphertext } }),
    )
    const expected = refusals[key.states[Number(version) - 1] ?? 'ENABLED']
    if (refused !== expected) return this.#fault(`version ${version} of ${key.name} answered`, refused, expected)
    if (value !== undefined && value.plaintext !== base64(text)) this.#fault('decryption made', value.plaintext, text)
  }

  #fault(what: string, found: string | undefined, expected: string | undefined): void {
    this.#parts.prove({ kind: 'fault', message: `${what} ${found ?? 'success'} and not ${expected ?? 'success'}` })
  }

  #replace(before: KnownKey, after: KnownKey): void {
    this.#keys = this.#keys.map(each => (each === before ? after : each))
  }
}
