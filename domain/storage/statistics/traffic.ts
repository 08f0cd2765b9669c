import { deltaNames, type DeltaName } from './descriptors.ts'
import { minuteMs, type PointOf } from './points-store.ts'

/** The counts of a bucket in a minute. */
export interface Counted {
  readonly of: PointOf
  /** A time in the minute, in milliseconds since 1970. */
  readonly atMs: number
  readonly counts: Readonly<Partial<Record<DeltaName, number>>>
}

/** The bucket of a request. */
interface Requested {
  readonly id: string
  readonly workspace_id: string
  readonly engine: string
}

/**
 * Counts the traffic of buckets in the memory of this server; a worker stores the counts each minute. A crash loses the
 * counts of the last minute (storage.md 1).
 */
export class Traffic {
  readonly #now: () => number
  #counted = new Map<string, Counted & { readonly counts: Partial<Record<DeltaName, number>> }>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Adds amounts to the statistics of a bucket; amounts of 0 have no effect. */
  count({ engine, id, workspace_id }: Requested, amounts: Readonly<Partial<Record<DeltaName, number>>>): void {
    this.#add({ of: { workspace_id, engine, bucket_id: id }, atMs: this.#now(), counts: amounts })
  }

  /** Returns the counts since the last call, and begins anew. */
  take(): readonly Counted[] {
    const taken = [...this.#counted.values()]
    this.#counted = new Map()
    return taken
  }

  /** Adds counts that could not be stored to the present counts. */
  putBack(counted: readonly Counted[]): void {
    for (const each of counted) this.#add(each)
  }

  #add({ atMs, counts, of }: Counted): void {
    const key = `${of.bucket_id}/${Math.floor(atMs / minuteMs)}`
    const known = this.#counted.get(key) ?? { of, atMs, counts: {} }
    for (const name of deltaNames) {
      const amount = counts[name] ?? 0
      if (amount !== 0) known.counts[name] = (known.counts[name] ?? 0) + amount
    }
    if (Object.keys(known.counts).length > 0) this.#counted.set(key, known)
  }
}
