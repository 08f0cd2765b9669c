import { LRUCache } from 'lru-cache'
import type { PushRules } from '../metrics/metric-engine.ts'
import type { Refusal } from './sample-batch.ts'

/** The largest numbers of known series, and of characters of their labels and keys: some 50 MiB of memory. */
const maxKnown = 100_000
const maxCharacters = 32 * 1024 * 1024

/** The characters that an entry counts beside its texts. */
const ownCharacters = 100

/** The labels of a longer encoding are read each time. */
const maxEncoded = 8192

/** The largest number of different rules whose series are known. */
const maxRules = 1000

/** The key of a series (`labelKey`), or why the series is refused. */
export type KeyOrRefusal = string | Refusal

/** Finds the key of a series by the bytes of its labels, as one config takes them. */
export interface KeysOfRules {
  /** Returns what `read` has returned for equal labels before, or returns now; an error of `read` is not kept. */
  find(labels: Buffer, read: () => KeyOrRefusal): KeyOrRefusal
}

/**
 * The keys of the series that senders have written lately. A sender repeats the labels of a series in each request, with
 * the same bytes: a known series is neither decoded, checked nor sorted again. A key depends on the bytes and on the static
 * labels of the config alone. The series that was written longest ago is forgotten first.
 */
export class SeriesKeys {
  readonly #known = new LRUCache<string, KeyOrRefusal>({
    max: maxKnown,
    maxSize: maxCharacters,
    sizeCalculation: (found, encoded) =>
      encoded.length + (typeof found === 'string' ? found : found.message).length + ownCharacters,
  })
  /** The beginnings of the names under which the series of different rules are known. */
  readonly #beginnings = new Map<string, string>()
  #rules = 0

  of({ config, staticLabels }: PushRules): KeysOfRules {
    const beginning = this.#beginningOf(JSON.stringify([config, staticLabels]))
    return {
      find: (labels, read) => {
        if (labels.length > maxEncoded) return read()
        // Each byte is one character, so different bytes have different names.
        const name = beginning + labels.toString('latin1')
        const known = this.#known.get(name)
        if (known !== undefined) return known
        const found = read()
        this.#known.set(name, found)
        return found
      },
    }
  }

  #beginningOf(rules: string): string {
    const known = this.#beginnings.get(rules)
    if (known !== undefined) return known
    if (this.#beginnings.size === maxRules) this.#beginnings.clear()
    this.#rules += 1
    const beginning = `${this.#rules}:`
    this.#beginnings.set(rules, beginning)
    return beginning
  }
}
