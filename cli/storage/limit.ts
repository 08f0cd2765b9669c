/** Runs at most a number of tasks at a time; further tasks wait for their turn, the first first. */
export class Limit {
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(atOnce: number) {
    this.#free = atOnce
  }

  async run<R>(task: () => Promise<R>): Promise<R> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>(resolve => this.#waiting.push(resolve))
    try {
      return await task()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free += 1
    }
  }
}

/**
 * Runs `act` on each item, at most `atOnce` at a time, and reads further items as earlier ones end, so that a long list
 * is never held whole. The first error, of an act or of the reading, ends the reading, and is thrown after the running
 * acts have ended.
 */
export async function eachOf<T>(
  items: AsyncIterable<T> | Iterable<T>,
  atOnce: number,
  act: (item: T) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>()
  let failure: { readonly error: unknown } | undefined
  try {
    for await (const item of items) {
      if (failure) break
      const one: Promise<void> = act(item)
        .catch((error: unknown) => void (failure ??= { error }))
        .finally(() => running.delete(one))
      running.add(one)
      if (running.size >= atOnce) await Promise.race(running)
    }
  } finally {
    await Promise.all(running)
  }
  if (failure) throw failure.error
}
