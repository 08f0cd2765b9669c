import type { ContentFile } from '../../../domain/storage/contents/contents-store.ts'

/** The files that readers will open later, and the files that are being deleted: no file is both. */
export class Readers {
  readonly #counts = new Map<string, number>()
  readonly #removing = new Set<string>()

  /**
   * Adds a reader of files. Returns the function that ends the reading, which may be called repeatedly; undefined if one
   * of the files is being deleted.
   */
  add(files: readonly ContentFile[]): (() => void) | undefined {
    if (files.some(({ path }) => this.#removing.has(path))) return undefined
    for (const { path } of files) this.#counts.set(path, (this.#counts.get(path) ?? 0) + 1)
    let isReading = true
    return () => {
      if (!isReading) return
      isReading = false
      for (const { path } of files) this.#end(path)
    }
  }

  /** Deletes files by `remove`, unless they have a reader or are being deleted already. Returns whether `remove` ran. */
  async removing(paths: readonly string[], remove: () => Promise<void>): Promise<boolean> {
    if (paths.some(path => this.#counts.has(path) || this.#removing.has(path))) return false
    for (const path of paths) this.#removing.add(path)
    try {
      await remove()
    } finally {
      for (const path of paths) this.#removing.delete(path)
    }
    return true
  }

  #end(path: string): void {
    const rest = (this.#counts.get(path) ?? 0) - 1
    if (rest > 0) this.#counts.set(path, rest)
    else this.#counts.delete(path)
  }
}
