import { afterAll, beforeAll } from 'vitest'
import { servedRegistry, type ServedRegistry } from '../served-registry.ts'

/** Serves one registry for the tests of a file. Returns a function that returns it within a test. */
export function sharedRegistry(): () => ServedRegistry {
  let served: ServedRegistry | undefined
  beforeAll(async () => {
    served = await servedRegistry(afterAll)
  })
  return () => {
    if (served === undefined) throw new Error('the registry is served within tests only')
    return served
  }
}
