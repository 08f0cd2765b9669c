import { bodyField } from './body.ts'
import { anyEtag } from './field-mask.ts'
import { JsonText, setMember } from './json.ts'
import type { Route } from './route.ts'
import { isRecord, own, type Faults } from './validation.ts'
import type { WireAnswer } from './wire.ts'

/** Matches one strong entity tag (RFC 9110 §8.8.3); the tag `"*"` is refused, because it is no etag of a resource. */
const strongTag = /^"((?!\*")[!#-~]+)"$/

/** Matches an etag that a strong entity tag can hold. */
const opaque = /^[!#-~]+$/

/**
 * Gives a request the etag of the header `If-Match` in the member in which a caller may send the etag too, so that
 * handlers know one precondition only (conventions §6). Adds a fault for another value than `*` or one strong tag, for a
 * tag that contradicts the sent etag, and for a tag if the operation compares no etag.
 */
export function takeIfMatch(
  header: string | undefined,
  { body, etag: place }: Pick<Route<unknown, unknown>, 'body' | 'etag'>,
  request: Record<string, unknown>,
  faults: Faults,
): void {
  if (header === undefined) return
  const etag = header === anyEtag ? anyEtag : strongTag.exec(header)?.[1]
  const refuse = (description: string): false => faults.add('If-Match', description)
  if (etag === undefined) return void refuse('must be * or one strong tag, such as "5c0e9d2b"')
  if (place !== 'body' && place !== 'query') {
    if (etag !== anyEtag) refuse('must be * or absent, because this operation compares no etag')
    return
  }
  // An absent body that is required stays absent, because an update by an empty body would reset every field.
  if (place === 'body' && body?.required === false && !Object.hasOwn(request, bodyField)) request.body = {}
  const holder = place === 'query' ? request : own(request, bodyField)
  if (!isRecord(holder)) return
  const sent = own(holder, 'etag')
  if (sent === undefined || sent === '') setMember(holder, 'etag', etag)
  else if (etag !== anyEtag && sent !== etag) refuse('must be the tag of the same etag as the member "etag"')
}

/**
 * Adds the header `ETag` to the answer of one resource, and answers 304 without a body if `If-None-Match` names the tag.
 * `result` is the answer of the handler, whose text or value has the member `etag`. An etag does not cover the state of
 * a resource, so no cache may keep the answer and revalidate it later on its own.
 */
export function withEtag(answer: WireAnswer, result: unknown, ifNoneMatch: string | undefined): WireAnswer {
  const etag = result instanceof JsonText ? etagOf(result.text) : isRecord(result) ? result.etag : undefined
  if (typeof etag !== 'string' || !opaque.test(etag)) return answer
  const tag = `"${etag}"`
  answer.headers.etag = tag
  answer.headers['cache-control'] = 'no-store'
  if (ifNoneMatch === undefined || !namesTag(ifNoneMatch, tag)) return answer
  return { status: 304, headers: { etag: tag, 'cache-control': 'no-store' } }
}

/** Whether a value of `If-None-Match` names a tag; the comparison is weak (RFC 9110 §13.1.2). */
const namesTag = (header: string, tag: string): boolean =>
  header === anyEtag || header.split(',').some(each => each.trim().replace(/^W\//, '') === tag)

/** Matches the member in JSON text after another member. */
const member = /,"etag":"([^"]*)"/g
/** The beginning of JSON text whose first member is the etag. */
const first = '{"etag":'

/**
 * Returns the etag of a resource in its JSON text, which has no spaces between its tokens. Quotation marks within
 * strings are escaped, so each occurrence of `member` is a member of some object; the only occurrence belongs to the
 * resource itself, which always has an etag. The text is parsed if it begins with the etag, has no or several
 * occurrences (such as a label with the name `etag`), or has an etag with an escape.
 */
function etagOf(text: string): unknown {
  member.lastIndex = 0
  const etag = member.exec(text)?.[1]
  if (etag !== undefined && !etag.includes('\\') && !text.startsWith(first) && !member.test(text)) return etag
  const value: unknown = JSON.parse(text)
  return isRecord(value) ? value.etag : undefined
}
