import { ApiError } from '../../../runtime/errors.ts'
import type { ObservabilityEnvironment } from '../environment.ts'
import { secretOf, secretPlace } from '../ingestion-configs/authorization-secret.ts'
import type { StoredIngestionConfig } from '../ingestion-configs/ingestion-configs-store.ts'

/** The time for which a payload is used before it is read again, in milliseconds; each reading is an activity. */
const keptMs = 60_000

/** The payloads that scrapes send as the header `Authorization`. They are kept in memory for a minute only. */
export class Authorizations {
  readonly #parts: Pick<ObservabilityEnvironment, 'clock' | 'functions'>
  readonly #kept = new Map<string, { readonly value: string; readonly until: number }>()

  constructor(parts: Pick<ObservabilityEnvironment, 'clock' | 'functions'>) {
    this.#parts = parts
  }

  /**
   * Returns the header of a config; undefined for a config without a secret. Rejects with an Error that says why the
   * secret cannot be read.
   */
  async of(config: StoredIngestionConfig): Promise<string | undefined> {
    const { clock, functions } = this.#parts
    const secret = secretOf(config)
    if (secret === undefined) return undefined
    const { vault } = functions
    if (vault === undefined || vault.isSealed)
      throw new Error('the vault is sealed, so authorization_secret_id is not read')
    for (const [key, { until }] of this.#kept) if (until <= clock.now()) this.#kept.delete(key)
    const key = `${config.id}/${secret}`
    const kept = this.#kept.get(key)
    if (kept) return kept.value
    const place = { ...secretPlace(secret, config.workspace_id), version: 'latest' }
    const { bytes } = await vault.readSecret(undefined, place).catch((error: unknown) => {
      const reason = error instanceof ApiError ? error.reason : 'INTERNAL'
      throw new Error(`authorization_secret_id cannot be read (${reason})`, { cause: error })
    })
    const value = new TextDecoder().decode(bytes).trim()
    bytes.fill(0)
    this.#kept.set(key, { value, until: clock.now() + keptMs })
    return value
  }
}
