/**
 * Returns the next etag of a resource whose settable fields changed; the first etag for undefined. An etag is opaque to
 * callers and always differs from the previous etag.
 */
export const nextEtag = (current: string | undefined): string => (Number.parseInt(current ?? '0', 36) + 1).toString(36)
