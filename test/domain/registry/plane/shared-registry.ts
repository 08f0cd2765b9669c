import { shared } from '../../../shared.ts'
import { servedRegistry, type BlobPlace, type ServedRegistry } from '../served-registry.ts'

/** Serves one registry for the tests of a file. Returns a function that returns it within a test. */
export const sharedRegistry = (blobs: BlobPlace = 'folder'): (() => ServedRegistry) =>
  shared(later => servedRegistry(later, 0, blobs))
