import { LRUCache } from 'lru-cache'
import type { Reader, Store } from '../ports/store.ts'
import { organisations, trees } from './nodes.ts'
import { foundOrganisation, noOrganisation } from './tree-lock.ts'
import { TreeView } from './tree-view.ts'

/** What a read of a tree has found. */
export interface Sight<R> {
  /** Undefined when something hangs under nothing, which a change of the tree under the read may bring about. */
  readonly answer: R | undefined
  /** The version that the tree had when the last statement of the read ran, where that has told it. */
  readonly version?: number | undefined
}

/** How often a read is tried beside the changes of others, before it is shut off from them. */
const maxAttempts = 2

/** Places and counts that are cached of all organisations together: about 30 MB with their texts and pairs. */
const maxSize = 10_000

/**
 * Reads of organisations, outside of transactions. What one read found out about a tree serves the next one, as long as
 * the version of the tree, which every read asks the store for, is the same.
 */
export class TreeReads {
  readonly #store: Store
  /** By the id of the organisation; the least recently used view is dropped first. */
  readonly #cache = new LRUCache<string, CachedView>({ maxSize, sizeCalculation: ({ size }) => size })

  constructor(store: Store) {
    this.#store = store
  }

  /**
   * Answers a read of several statements that fit together. It is run again when the tree was changed between them, the
   * last time in a snapshot, where nothing changes. Throws ORGANISATION_NOT_FOUND.
   */
  async read<R>(organisation: string, read: (tree: TreeView) => Promise<Sight<R>>): Promise<R> {
    let held = this.#cache.get(organisation)?.view
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      const view = held?.fork() ?? (await viewOf(this.#store, organisation))
      const { answer, version } = await this.#attempt(organisation, view, read)
      const isSettled = (version ?? (await versionOf(this.#store, organisation))) === view.version
      if (isSettled) this.#keep(organisation, view)
      if (isSettled && answer !== undefined) return answer
      held = undefined
    }
    return this.#store.snapshot(reader => readWithin(reader, organisation, read))
  }

  /** Of an organisation that is gone nothing else is said. */
  async #attempt<R>(organisation: string, view: TreeView, read: (tree: TreeView) => Promise<R>): Promise<R> {
    try {
      return await read(view)
    } catch (error) {
      await versionOf(this.#store, organisation)
      throw error
    }
  }

  /** Caches the view of the newest version, and of two views of one version the one that knows more. */
  #keep(id: string, view: TreeView): void {
    const cached = this.#cache.peek(id)
    // lru-cache takes no entry of size 0.
    const size = Math.max(1, view.size)
    const isBetter =
      cached === undefined ||
      cached.view.version < view.version ||
      (cached.view.version === view.version && cached.size < size)
    if (isBetter) this.#cache.set(id, { view, size })
  }
}

/** A view of a tree, with the number of places and counts that it knew when it was cached. */
interface CachedView {
  readonly view: TreeView
  readonly size: number
}

async function versionOf(reader: Reader, organisation: string): Promise<number> {
  const tree = await reader.get(trees, organisation)
  if (tree) return tree.version
  throw noOrganisation(organisation)
}

async function viewOf(reader: Reader, id: string): Promise<TreeView> {
  const version = await versionOf(reader, id)
  const organisation = foundOrganisation(await reader.get(organisations, id), id)
  return new TreeView(reader, organisation.value, version)
}

async function readWithin<R>(
  reader: Reader,
  organisation: string,
  read: (tree: TreeView) => Promise<Sight<R>>,
): Promise<R> {
  const { answer } = await read(await viewOf(reader, organisation))
  if (answer !== undefined) return answer
  throw new Error(`something of organisation ${organisation} hangs under nothing`)
}
