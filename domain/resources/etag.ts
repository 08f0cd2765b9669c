/** The etag of a resource whose settable fields changed: opaque to callers, never the same as the one before. */
export const nextEtag = (current: string | undefined): string => (Number.parseInt(current ?? '0', 36) + 1).toString(36)
