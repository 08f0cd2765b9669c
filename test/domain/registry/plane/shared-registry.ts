import { beforeAll } from 'vitest'
import { servedRegistry, type ServedRegistry } from '../served-registry.ts'

/** Serves one registry for the tests of a file. Returns a function that returns it within a test. */
export function sharedRegistry(): () => ServedRegistry {
  let served: ServedRegistry | undefined
  beforeAll(async () => {
    const undone: (() => void | Promise<void>)[] = []
    served = await servedRegistry(undo => void undone.push(undo))
    return async () => {
      for (const undo of undone.toReversed()) await undo()
    }
  })
  return () => {
    if (served === undefined) throw new Error('the registry is served within tests only')
    return served
  }
}
