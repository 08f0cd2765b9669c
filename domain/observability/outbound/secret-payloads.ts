import { ApiError } from '../../../runtime/errors.ts'
import type { ObservabilityEnvironment } from '../environment.ts'

/** The time for which a payload is used before it is read again, in milliseconds; each reading is an activity. */
const keptMs = 60_000

/** The engine of the vault in which the secrets lie that the area sends. */
const vaultEngine = 'native'

/** Returns the place of a secret in the vault. */
export const secretPlace = (secret_id: string, workspace: string) => ({ workspace, engine: vaultEngine, secret_id })

/** A resource that names a secret in one of its fields. */
export interface SecretHolder {
  readonly id: string
  readonly workspace_id: string
}

/** The payloads of secrets that requests to addresses of callers contain. They are kept in memory for a minute only. */
export class SecretPayloads {
  readonly #parts: Pick<ObservabilityEnvironment, 'clock' | 'functions'>
  readonly #kept = new Map<string, { readonly value: string; readonly until: number }>()

  constructor(parts: Pick<ObservabilityEnvironment, 'clock' | 'functions'>) {
    this.#parts = parts
  }

  /**
   * Returns the text of the secret that a field of a resource names; undefined for a field that names none. Rejects with
   * an Error that names the field and says why the secret cannot be read.
   */
  async of({ id, workspace_id }: SecretHolder, secret: string | undefined, field: string): Promise<string | undefined> {
    if (secret === undefined) return undefined
    const { clock, functions } = this.#parts
    const { vault } = functions
    if (vault === undefined || vault.isSealed) throw new Error(`the vault is sealed, so ${field} is not read`)
    for (const [key, { until }] of this.#kept) if (until <= clock.now()) this.#kept.delete(key)
    const key = `${id}/${secret}`
    const kept = this.#kept.get(key)
    if (kept) return kept.value
    const place = { ...secretPlace(secret, workspace_id), version: 'latest' }
    const { bytes } = await vault.readSecret(undefined, place).catch((error: unknown) => {
      const reason = error instanceof ApiError ? error.reason : 'INTERNAL'
      throw new Error(`${field} cannot be read (${reason})`, { cause: error })
    })
    const value = new TextDecoder().decode(bytes).trim()
    bytes.fill(0)
    this.#kept.set(key, { value, until: clock.now() + keptMs })
    return value
  }
}
