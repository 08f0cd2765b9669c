import { existsSync } from 'node:fs'
import { makeFolders } from '../files/folders.ts'
import type { SignalPlaces } from '../files/places.ts'

/** The largest number of workspaces with open files. */
const mostOpen = 100

/** The time without writes after which the files of a workspace are closed, in milliseconds. */
const idleMs = 600_000

/** Takes the outcome of a write. */
export interface Settle<R> {
  resolve(result: R): void
  reject(error: unknown): void
}

/** The files of a signal of a workspace that are open for writes of batches `B` within limits `L`. */
export interface WrittenFiles<B, L, R> {
  /** Opens the files that a batch needs. Throws if the batch cannot be taken; nothing has changed then. */
  prepare(batch: B, limits: L, now: number): void
  /** Takes a batch, which is on the disk after the next `commit`. */
  write(batch: B, limits: L, now: number): R
  /** Writes what waits to the disk; `now` is the time of the last write. */
  commit(now: number): void
  close(): void
}

/** How the files of the workspaces below the folder `root` are opened. */
interface Opening<P extends SignalPlaces, F> {
  readonly root: string
  readonly placesOf: (workspace: string) => P
  readonly open: (places: P, now: number) => F
  /** Is told of each workspace whose files are closed. */
  readonly closed?: (workspace: string) => void
}

/** The open files of a workspace, with the writes that wait for their next commit. */
interface OpenFiles<F, R> {
  readonly files: F
  /** The time of the last write. */
  usedAt: number
  readonly waiting: { readonly result: R; readonly settle: Settle<R> }[]
}

/**
 * The open files of a signal, keyed by the workspace. All calls are synchronous; the caller decides when to commit. Files
 * that a failure may have left different from the memory are closed, and their waiting writes are rejected.
 */
export class OpenWorkspaces<B, L, R, F extends WrittenFiles<B, L, R>, P extends SignalPlaces> {
  readonly #opening: Opening<P, F>
  readonly #open = new Map<string, OpenFiles<F, R>>()

  constructor(opening: Opening<P, F>) {
    this.#opening = opening
  }

  /** Iterates the workspaces with open files; the workspace that was used longest ago is the first. */
  *[Symbol.iterator](): Generator<readonly [workspace: string, files: F]> {
    for (const [workspace, { files }] of this.#open) yield [workspace, files]
  }

  /** Returns the files of a workspace if they are open. */
  get(workspace: string): F | undefined {
    return this.#open.get(workspace)?.files
  }

  /** Returns the files of a workspace, and opens them if necessary; undefined if the workspace has none. */
  existing(workspace: string, now: number): F | undefined {
    return existsSync(this.#opening.placesOf(workspace).index) ? this.#opened(workspace, now).files : undefined
  }

  /** Takes a write, which is settled by the next `commit`; a write that cannot be taken is settled at once. */
  write(workspace: string, batch: B, limits: L, now: number, settle: Settle<R>): void {
    let open: OpenFiles<F, R>
    try {
      open = this.#opened(workspace, now)
      open.files.prepare(batch, limits, now)
    } catch (error) {
      return settle.reject(error)
    }
    open.usedAt = now
    try {
      open.waiting.push({ result: open.files.write(batch, limits, now), settle })
    } catch (error) {
      settle.reject(error)
      this.abandon(workspace, error)
    }
  }

  /** Writes what waits to the disk, and settles the writes. */
  commit(): void {
    for (const [workspace, { files, usedAt, waiting }] of this.#open) {
      if (waiting.length === 0) continue
      try {
        files.commit(usedAt)
      } catch (error) {
        this.abandon(workspace, error)
        continue
      }
      for (const { result, settle } of waiting.splice(0)) settle.resolve(result)
    }
  }

  /** Closes the files of workspaces that were not used lately, but for those that `isHeld` names. */
  closeIdle(now: number, isHeld: (workspace: string) => boolean = () => false): void {
    for (const [workspace, { usedAt }] of this.#open)
      if (!isHeld(workspace) && (now - usedAt > idleMs || this.#open.size > mostOpen)) this.release(workspace)
  }

  /** Closes the files of a workspace; what waits is committed. */
  release(workspace: string): void {
    this.commit()
    this.#taken(workspace)?.files.close()
  }

  releaseAll(): void {
    for (const workspace of this.#open.keys()) this.release(workspace)
  }

  /** Ends the use of the files of a workspace that may differ from the memory, and rejects its writes. */
  abandon(workspace: string, error: unknown): void {
    const open = this.#taken(workspace)
    for (const { settle } of open?.waiting.splice(0) ?? []) settle.reject(error)
    open?.files.close()
  }

  #opened(workspace: string, now: number): OpenFiles<F, R> {
    const known = this.#open.get(workspace)
    if (known !== undefined) {
      this.#open.delete(workspace)
      this.#open.set(workspace, known)
      return known
    }
    const { open, placesOf, root } = this.#opening
    const places = placesOf(workspace)
    makeFolders(root, places)
    const opened = { files: open(places, now), usedAt: now, waiting: [] }
    this.#open.set(workspace, opened)
    return opened
  }

  #taken(workspace: string): OpenFiles<F, R> | undefined {
    const open = this.#open.get(workspace)
    if (open === undefined) return undefined
    this.#open.delete(workspace)
    this.#opening.closed?.(workspace)
    return open
  }
}
