import { LRUCache } from 'lru-cache'
import type { Reader, Store } from '../../ports/store.ts'
import { organisations, trees } from './nodes.ts'
import { foundOrganisation, noOrganisation } from './tree-lock.ts'
import { TreeView } from './tree-view.ts'

/** The result of a read of a tree. */
export interface TreeReadResult<R> {
  /** The result; undefined if a node's parent is missing, which a concurrent change of the tree may cause. */
  readonly answer: R | undefined
  /** The version of the tree at the last statement of the read, if that statement returned it. */
  readonly version?: number | undefined
}

/**
 * The maximal number of attempts without a snapshot. The attempt after these uses a snapshot, so that no change can
 * intervene.
 */
const maxAttempts = 2

/** The maximal number of cached places and counts of all organisations: about 30 MB with their texts and pairs. */
const maxSize = 10_000

/**
 * Reads the trees of organisations outside of transactions. A read reuses the results of earlier reads while the
 * version of the tree is the same; every read gets the version from the store.
 */
export class TreeReads {
  readonly #store: Store
  /** The cached views, keyed by organisation id; the least recently used view is dropped first. */
  readonly #cache = new LRUCache<string, CachedView>({ maxSize, sizeCalculation: ({ size }) => size })

  constructor(store: Store) {
    this.#store = store
  }

  /**
   * Returns the result of several statements that agree with each other. The read is repeated if the tree changed
   * between the statements, the last time in a snapshot, where the tree cannot change. Throws ORGANISATION_NOT_FOUND.
   */
  async read<R>(organisation: string, read: (tree: TreeView) => Promise<TreeReadResult<R>>): Promise<R> {
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

  /**
   * Runs one attempt and returns its result. If the attempt throws and the organisation is deleted, throws
   * ORGANISATION_NOT_FOUND instead.
   */
  async #attempt<R>(organisation: string, view: TreeView, read: (tree: TreeView) => Promise<R>): Promise<R> {
    try {
      return await read(view)
    } catch (error) {
      await versionOf(this.#store, organisation)
      throw error
    }
  }

  /**
   * Caches a view, unless the cache has a newer version of the tree, or as many places and counts of the same version.
   */
  #keep(id: string, view: TreeView): void {
    const cached = this.#cache.peek(id)
    // lru-cache rejects entries of size 0.
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
  read: (tree: TreeView) => Promise<TreeReadResult<R>>,
): Promise<R> {
  const { answer } = await read(await viewOf(reader, organisation))
  if (answer !== undefined) return answer
  throw new Error(`a node of organisation ${organisation} has no parent in its tree`)
}
