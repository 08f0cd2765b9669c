import type { ContentParts } from '../../domain/registry/content-parts.ts'

/** Returns the parts of the content of repositories. */
export const registryContent = (): ContentParts => ({ collectionGraceMs: 86_400_000 })
