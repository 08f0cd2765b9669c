import type { Ninefold } from '../../../output/client.ts'
import type { Random } from '../../areas/random.ts'
import type { RandomKind } from '../../areas/random-mutations.ts'
import { base64, engine } from './keys/tenant-keys.ts'

const refusals = [
  'CRYPTO_KEY_ALREADY_EXISTS',
  'CRYPTO_KEY_DELETE_SCHEDULED',
  'CRYPTO_KEY_IN_USE',
  'CRYPTO_KEY_NOT_FOUND',
  'KEY_VERSION_DISABLED',
  'KEY_VERSION_DESTROYED',
  'KEY_VERSION_NOT_FOUND',
  'KEY_VERSION_STATE',
  'PRIMARY_VERSION_IN_USE',
  'KEY_PURPOSE_MISMATCH',
  'ETAG_MISMATCH',
  'FIELD_INVALID',
]

/** The state of a version as the model knows it. */
type Known = 'ENABLED' | 'DISABLED' | 'DESTROY_SCHEDULED'

/** The model of a key. */
interface Model {
  readonly id: string
  readonly name: string
  /** The states of the versions, from version 1. */
  readonly states: Known[]
  primary: number
  isDeleted: boolean
}

const purposes = ['ENCRYPT_DECRYPT', 'MAC', 'ASYMMETRIC_SIGN'] as const

/** Random crypto keys whose states a model predicts, and the check of the model against the platform. */
export interface RandomKeys {
  readonly kind: RandomKind
  /** Returns the differences between the model and the platform. */
  differences(): Promise<readonly string[]>
}

/**
 * Returns crypto keys with random versions, states, primary versions, deletions and secrets. A model predicts the
 * outcome of each verb; the run throws an error without a reason if the platform answers another outcome.
 */
export function randomKeys({ vault }: Ninefold, workspace: string): RandomKeys {
  const at = { workspace, engine }
  const models: Model[] = []

  /** Makes a call whose outcome the model knows: a reason, or `''` for success. */
  async function predicted(what: string, expected: string, call: () => Promise<unknown>): Promise<void> {
    let outcome = ''
    let cause: unknown
    try {
      await call()
    } catch (error) {
      cause = error
      outcome = error instanceof Error && 'reason' in error ? String(error.reason) : String(error)
    }
    if (outcome !== expected) throw new Error(`${what} ended with "${outcome}", not "${expected}"`, { cause })
    if (cause !== undefined) throw cause
  }

  function change(random: Random, model: Model): Promise<unknown> {
    const { id, states } = model
    const number = 1 + random.below(states.length)
    const version = { ...at, cryptokey: id, id: String(number) }
    const state = states[number - 1]
    const told = `of version ${number} of ${model.name}, which is ${state}`
    const set = (to: Known): void => void (states[number - 1] = to)
    const changes: readonly (() => Promise<unknown>)[] = [
      async () => {
        await predicted('the rotation', model.isDeleted ? 'CRYPTO_KEY_DELETE_SCHEDULED' : '', () =>
          vault.rotateCryptoKey({ ...at, id, body: {} }),
        )
        model.primary = states.push('ENABLED')
      },
      async () => {
        const disabled = random.percent(50)
        const refused = model.isDeleted
          ? 'CRYPTO_KEY_DELETE_SCHEDULED'
          : state === 'DESTROY_SCHEDULED'
            ? 'KEY_VERSION_STATE'
            : ''
        await predicted(`the disabling ${disabled} ${told}`, refused, () =>
          vault.disableCryptoKeyVersion({ ...version, body: { disabled } }),
        )
        set(disabled ? 'DISABLED' : 'ENABLED')
      },
      async () => {
        const refused = model.isDeleted
          ? 'CRYPTO_KEY_DELETE_SCHEDULED'
          : state === 'DESTROY_SCHEDULED'
            ? 'KEY_VERSION_STATE'
            : number === model.primary
              ? 'PRIMARY_VERSION_IN_USE'
              : ''
        await predicted(`the destruction ${told}`, refused, () =>
          vault.destroyCryptoKeyVersion({ ...version, body: {} }),
        )
        set('DESTROY_SCHEDULED')
      },
      async () => {
        const refused = state === 'DESTROY_SCHEDULED' ? '' : 'KEY_VERSION_STATE'
        await predicted(`the cancellation ${told}`, refused, () =>
          vault.cancelDestroyCryptoKeyVersion({ ...version, body: {} }),
        )
        set('DISABLED')
        model.isDeleted = false
      },
      async () => {
        const reasons = { ENABLED: '', DISABLED: 'KEY_VERSION_DISABLED', DESTROY_SCHEDULED: 'KEY_VERSION_DESTROYED' }
        const isSame = number === model.primary
        const refused = model.isDeleted ? 'CRYPTO_KEY_DELETE_SCHEDULED' : isSame ? '' : reasons[state ?? 'ENABLED']
        await predicted(`the choice ${told}`, refused, () =>
          vault.updateCryptoKey({ ...at, id, update_mask: 'primary_version', body: { primary_version: version.id } }),
        )
        model.primary = number
      },
      async () => {
        await vault.encrypt({ ...at, id, body: { plaintext: base64('text') } })
      },
      async () => {
        const { resource_id } = await vault.createSecret({
          ...at,
          body: { name: `of-${model.name}-${random.below(1_000_000)}`, crypto_key_id: id },
        })
        await vault.deleteSecret({ ...at, id: resource_id })
      },
    ]
    return random.oneOf(changes)()
  }

  return {
    kind: {
      name: 'key',
      refusals,
      async create(random) {
        const name = `key-${random.below(200)}`
        const purpose = `VAULT_CRYPTO_KEY_PURPOSE_${random.oneOf(purposes)}` as const
        const rotation =
          random.percent(20) && purpose !== 'VAULT_CRYPTO_KEY_PURPOSE_ASYMMETRIC_SIGN'
            ? { rotation_period: '86400s' }
            : {}
        const isTaken = models.some(model => model.name === name)
        let id = ''
        await predicted(`the creation of ${name}`, isTaken ? 'CRYPTO_KEY_ALREADY_EXISTS' : '', async () => {
          id = (await vault.createCryptoKey({ ...at, body: { name, purpose, ...rotation } })).resource_id
        })
        const model: Model = { id, name, states: ['ENABLED'], primary: 1, isDeleted: false }
        models.push(model)
        return {
          update: each => change(each, model),
          async delete() {
            await predicted(`the deletion of ${name}`, model.isDeleted ? 'CRYPTO_KEY_DELETE_SCHEDULED' : '', () =>
              vault.deleteCryptoKey({ ...at, id }),
            )
            model.isDeleted = true
            model.states.fill('DESTROY_SCHEDULED')
          },
        }
      },
    },
    async differences() {
      const found: string[] = []
      for (const { id, isDeleted, name, primary, states } of models) {
        const key = await vault.getCryptoKey({ ...at, id })
        const versions: string[] = []
        for await (const { state } of vault.iterateCryptoKeyVersions({ ...at, cryptokey: id, order_by: 'version' }))
          versions.push(state.replace('VAULT_CRYPTO_KEY_VERSION_STATE_', ''))
        const is = [key.state.endsWith('DELETE_SCHEDULED'), key.primary_version, versions.join()].join(' ')
        const expected = [isDeleted, primary, states.join()].join(' ')
        if (is !== expected) found.push(`${name} is ${is} and not ${expected}`)
      }
      return found
    },
  }
}
