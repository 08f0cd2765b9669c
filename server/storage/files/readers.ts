import type { ContentFile } from '../../../domain/storage/contents/contents-store.ts'

/** The files that readers will open later, and that therefore must not be deleted. */
export class Readers {
  readonly #counts = new Map<string, number>()

  /** Adds a reader of files. Returns the function that ends the reading, which may be called repeatedly. */
  add(files: readonly ContentFile[]): () => void {
    for (const { path } of files) this.#counts.set(path, (this.#counts.get(path) ?? 0) + 1)
    let isReading = true
    return () => {
      if (!isReading) return
      isReading = false
      for (const { path } of files) this.#end(path)
    }
  }

  areReading(paths: readonly string[]): boolean {
    return this.#counts.size > 0 && paths.some(path => this.#counts.has(path))
  }

  #end(path: string): void {
    const rest = (this.#counts.get(path) ?? 0) - 1
    if (rest > 0) this.#counts.set(path, rest)
    else this.#counts.delete(path)
  }
}
