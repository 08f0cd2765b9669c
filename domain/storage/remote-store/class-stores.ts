import type { S3ClassSettings } from '../../../output/storage/types.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Vault } from '../../ports/vault.ts'
import type { StoredClass } from '../classes/classes-store.ts'
import { readCredentials } from './credentials.ts'
import type { OpenRemoteStore, RemoteCredentials, RemotePlace, RemoteStore } from './remote-store.ts'

/** The time for which keys are used before they are read again, in milliseconds; each reading is an activity. */
const keptMs = 60_000

/** The parts of the stores of classes. */
interface StoreParts {
  readonly clock: Pick<Clock, 'now'>
  readonly open: OpenRemoteStore
  /** Returns the functions of the vault; undefined for a server without the area of the vault. */
  readonly vault: () => Pick<Vault, 'isSealed' | 'readSecret'> | undefined
}

interface Opened {
  readonly store: RemoteStore
  readonly credentials: RemoteCredentials
  readonly place: string
  untilMs: number
}

/**
 * The accounts of S3 stores that storage classes name. An open account is kept, and its keys are read from the vault
 * again after a minute, so that a rotated secret is used soon. While the vault is sealed, an open account goes on.
 */
export class ClassStores {
  readonly #parts: StoreParts
  readonly #opened = new Map<string, Opened>()

  constructor(parts: StoreParts) {
    this.#parts = parts
  }

  /** Returns the account of a class. Throws ENGINE_UNAVAILABLE, and STORAGE_CLASS_PROBE_FAILED for an unfit secret. */
  async of({ id, name, s3 }: Pick<StoredClass, 'id' | 'name' | 's3'>): Promise<RemoteStore> {
    if (!s3) throw new Error(`storage class ${name} has no S3 store, although its engine is one of S3 stores`)
    const { clock, vault } = this.#parts
    const place = JSON.stringify([placeOf(s3), s3.credentials_secret_id])
    const known = this.#opened.get(id)
    const isKnown = known?.place === place
    if (isKnown && (known.untilMs > clock.now() || vault()?.isSealed === true)) return known.store
    const credentials = await readCredentials(vault(), s3.credentials_secret_id)
    const untilMs = clock.now() + keptMs
    if (isKnown && areSame(known.credentials, credentials)) {
      known.untilMs = untilMs
      return known.store
    }
    const store = await this.#parts.open(placeOf(s3), credentials)
    this.#opened.set(id, { store, credentials, place, untilMs })
    return store
  }

  /** Opens the account of settings that no class has yet; the caller closes the account. Throws as `of` does. */
  async unkept(s3: S3ClassSettings): Promise<RemoteStore> {
    return this.#parts.open(placeOf(s3), await readCredentials(this.#parts.vault(), s3.credentials_secret_id))
  }

  /** Closes all accounts. */
  close(): void {
    for (const { store } of this.#opened.values()) store.close()
    this.#opened.clear()
  }
}

const placeOf = (s3: S3ClassSettings): RemotePlace => ({
  endpoint: s3.endpoint,
  region: s3.region,
  forcePathStyle: s3.force_path_style,
  storageClass: s3.remote_storage_class,
})

const areSame = (a: RemoteCredentials, b: RemoteCredentials): boolean =>
  a.accessKeyId === b.accessKeyId && a.secretAccessKey === b.secretAccessKey
