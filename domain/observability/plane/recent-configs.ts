import { LRUCache } from 'lru-cache'
import type { Reader, Stored } from '../../ports/store.ts'
import { isUuid } from '../../../runtime/formats.ts'
import { ingestionConfigCollection, type StoredIngestionConfig } from '../ingestion-configs/ingestion-configs-store.ts'

/** The time for which a config that was read is used, in milliseconds: so long a removed key may still work. */
const freshMs = 500

/** The largest number of configs in the memory. */
const maxConfigs = 1000

/**
 * The ingestion configs of senders that push often, so that a push need not read the store. A config that allows a
 * request may be half a second old; a config that refuses it must be read anew.
 */
export class RecentConfigs {
  readonly #configs = new LRUCache<string, StoredIngestionConfig>({ max: maxConfigs, ttl: freshMs })
  readonly #reader: Reader

  constructor(reader: Reader) {
    this.#reader = reader
  }

  /** Returns a config that was read in the last half second; undefined without such a config. */
  recent(id: string): StoredIngestionConfig | undefined {
    return this.#configs.get(id)
  }

  /** Reads a config; undefined if no such config exists. */
  async read(id: string): Promise<StoredIngestionConfig | undefined> {
    const found: Stored<StoredIngestionConfig> | undefined = isUuid(id)
      ? await this.#reader.get(ingestionConfigCollection, id)
      : undefined
    if (found === undefined) this.#configs.delete(id)
    else this.#configs.set(id, found.value)
    return found?.value
  }
}
