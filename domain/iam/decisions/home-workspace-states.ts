import { LRUCache } from 'lru-cache'
import type { Store } from '../../ports/store.ts'
import type { Taxonomy } from '../../ports/taxonomy.ts'
import { entryLimit } from './loading-cache.ts'

/**
 * The lifetime of a cached workspace state in milliseconds. Because the lifetime is short, the tree need not report
 * every change of state.
 */
const knownMs = 1000

const maxKnown = 10_000

/** Caches whether the home workspaces of service accounts are effectively ACTIVE. */
export class HomeStates {
  readonly #store: Store
  readonly #taxonomy: Taxonomy
  readonly #known = new LRUCache<string, boolean>({ ...entryLimit(maxKnown), ttl: knownMs, ttlResolution: 0 })
  /** The number of `forget` calls so far. A state whose read began before the last `forget` is not cached. */
  #generation = 0

  constructor({ store, taxonomy }: { readonly store: Store; readonly taxonomy: Taxonomy }) {
    this.#store = store
    this.#taxonomy = taxonomy
  }

  /**
   * Returns whether a workspace is effectively ACTIVE; false for a deleted workspace. The result is a promise only if
   * the state must be read.
   */
  isActive(workspace: string): boolean | Promise<boolean> {
    return this.#known.get(workspace) ?? this.#read(workspace)
  }

  /** Clears the cache after a change in the tree. */
  forget(): void {
    this.#generation += 1
    this.#known.clear()
  }

  async #read(workspace: string): Promise<boolean> {
    const generation = this.#generation
    const effective = await this.#taxonomy.effectiveState(this.#store, { type: 'WORKSPACE', id: workspace })
    const isActive = effective?.state === 'ACTIVE'
    if (generation === this.#generation) this.#known.set(workspace, isActive)
    return isActive
  }
}
