import { member, members } from './located.ts'
import { isRecord, own } from './pointer.ts'
import type { Located } from './types.ts'

/**
 * Whether the value of `x-errors` has the form of another tool: no error reason in it has a `code` or an `rpc`. Such a value is
 * ignored with a warning, because the names of extensions belong to nobody.
 */
export function isForeign(value: unknown): boolean {
  if (!isRecord(value)) return true
  const reasons = Object.values(value)
  return (
    reasons.length > 0 && reasons.every(reason => own(reason, 'code') === undefined && own(reason, 'rpc') === undefined)
  )
}

/** Returns the `x-errors` of a document; undefined if it has none in the form of this generator. */
export function errorReasonsOf(document: Located): Located | undefined {
  const found = member(document, 'x-errors')
  return found && !isForeign(found.value) ? found : undefined
}

/** Returns the error reasons of a document with their names, in the order of the document. */
export const reasonsOfDocument = (document: Located): readonly (readonly [string, Located])[] =>
  members(errorReasonsOf(document))
