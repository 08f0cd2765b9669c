import { LRUCache } from 'lru-cache'
import type { Store } from '../../ports/store.ts'
import type { Taxonomy } from '../../ports/taxonomy.ts'
import { atMost } from './loading-cache.ts'

/** What was read of a workspace is taken for so long: the tree need not tell of every change of state. */
const knownMs = 1000

const maxKnown = 10_000

/** Whether the home workspaces of service accounts are effectively ACTIVE, from memory once they are known. */
export class HomeStates {
  readonly #store: Store
  readonly #taxonomy: Taxonomy
  readonly #known = new LRUCache<string, boolean>({ ...atMost(maxKnown), ttl: knownMs, ttlResolution: 0 })
  /** Grows with every `forget`: what was read before is not kept. */
  #generation = 0

  constructor({ store, taxonomy }: { readonly store: Store; readonly taxonomy: Taxonomy }) {
    this.#store = store
    this.#taxonomy = taxonomy
  }

  /** False for a workspace that is gone. Resolved only when it has to be read. */
  isActive(workspace: string): boolean | Promise<boolean> {
    return this.#known.get(workspace) ?? this.#read(workspace)
  }

  /** Something in the tree has changed. */
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
