import { shared } from '../../../shared.ts'
import { servedRegistry, type ServedRegistry } from '../served-registry.ts'
import type { Later } from '../../../server/store/harness.ts'

/** Serves one registry for the tests of a file. Returns a function that returns it within a test. */
export const sharedRegistry = (
  serve: (later: Later) => Promise<ServedRegistry> = servedRegistry,
): (() => ServedRegistry) => shared(later => serve(later))
