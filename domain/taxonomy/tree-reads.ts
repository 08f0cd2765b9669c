import { engineUnavailable } from '../../output/shared/errors.ts'
import type { Reader } from '../ports/store.ts'
import { organisations, trees } from './nodes.ts'
import { foundOrganisation, noOrganisation } from './tree-lock.ts'
import { TreeView } from './tree-view.ts'

/** How often a read is begun anew that the tree was changed under. */
const maxAttempts = 10

/** What is held of all organisations together, about 10 MB; the organisation that was not read for longest goes first. */
const maxSize = 10_000

/**
 * Reads of organisations, outside of transactions. What one read found out about a tree serves the next one, as long as
 * the version of the tree, which every read asks the store for, is the same.
 */
export class TreeReads {
  readonly #reader: Reader
  /** By the organisation; the one that was read last comes last. */
  readonly #held = new Map<string, { readonly view: TreeView; readonly size: number }>()
  #size = 0

  constructor(reader: Reader) {
    this.#reader = reader
  }

  /**
   * Answers a read of several statements that fit together: it is run again when the tree was changed between them.
   * `read` answers undefined when something that it found hangs under nothing, which such a change may bring about.
   * Throws ORGANISATION_NOT_FOUND, and ENGINE_UNAVAILABLE when the tree changes too fast.
   */
  async read<R>(organisation: string, read: (tree: TreeView) => Promise<R | undefined>): Promise<R> {
    let view = this.#held.get(organisation)?.view
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      view ??= await this.#view(organisation)
      const result = await this.#attempt(organisation, view, read)
      const isSettled = (await this.#version(organisation)) === view.version
      if (isSettled) this.#keep(organisation, view)
      if (isSettled && result !== undefined) return result
      view = undefined
    }
    throw engineUnavailable('the tree changes too fast to be read; try again', { retryAfterSeconds: 1 })
  }

  /** Of an organisation that is gone nothing else is said. */
  async #attempt<R>(organisation: string, view: TreeView, read: (tree: TreeView) => Promise<R>): Promise<R> {
    try {
      return await read(view)
    } catch (error) {
      await this.#version(organisation)
      throw error
    }
  }

  async #version(organisation: string): Promise<number> {
    const tree = await this.#reader.get(trees, organisation)
    if (tree) return tree.version
    throw noOrganisation(organisation)
  }

  async #view(id: string): Promise<TreeView> {
    const version = await this.#version(id)
    const organisation = foundOrganisation(await this.#reader.get(organisations, id), id)
    return new TreeView(this.#reader, organisation.value, version)
  }

  #keep(id: string, view: TreeView): void {
    this.#drop(id)
    this.#held.set(id, { view, size: view.size })
    this.#size += view.size
    for (const oldest of this.#held.keys()) {
      if (this.#size <= maxSize) return
      this.#drop(oldest)
    }
  }

  #drop(id: string): void {
    this.#size -= this.#held.get(id)?.size ?? 0
    this.#held.delete(id)
  }
}
