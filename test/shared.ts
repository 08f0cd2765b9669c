import { beforeAll } from 'vitest'
import type { Later } from './server/store/harness.ts'

/**
 * Makes a value before the tests of a file or of a `describe`, and undoes its effects after them. Returns a function that
 * returns the value within a test.
 */
export function shared<T>(make: (later: Later) => Promise<T>): () => T {
  let made: { readonly value: T } | undefined
  beforeAll(async () => {
    const undone: (() => void | Promise<void>)[] = []
    made = { value: await make(undo => void undone.push(undo)) }
    return async () => {
      for (const undo of undone.toReversed()) await undo()
    }
  })
  return () => {
    if (made === undefined) throw new Error('the value is made for tests only')
    return made.value
  }
}
