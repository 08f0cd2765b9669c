/**
 * Returns the next etag of a resource whose settable fields changed; the first etag for undefined. An etag is opaque to
 * callers and always differs from the previous etag.
 */
export const nextEtag = (current: string | undefined): string => (Number.parseInt(current ?? '0', 36) + 1).toString(36)

/** The number of etags of one version, of which each change of the version takes one. */
const etagsOfVersion = 36 ** 4

/**
 * Returns the first etag of a version by its number, which counts from 1. The etags of different versions differ, because
 * an address such as `versions/latest` leads to another version later: `If-None-Match` must then not find the old tag.
 */
export const firstEtagOf = (version: number): string => (version * etagsOfVersion + 1).toString(36)
