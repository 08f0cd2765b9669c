// Copied by ninefold. Do not edit: generate writes it again.

import { parseTimestamp } from './timestamps.ts'

/**
 * The formats of OpenAPI that are checked; other formats are documentation. Each check takes one pass over the text,
 * without backtracking.
 */

/**
 * Matches most date-times. Other texts need a calculation: leap days, and the first and last years, which an offset may
 * leave.
 */
const plainDateTime =
  /^(?!000[01]|9999)\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/** Whether a text is an RFC 3339 date-time with an offset and 0 to 9 fraction digits. */
export const isDateTime = (text: string): boolean => plainDateTime.test(text) || parseTimestamp(text) !== undefined

/** Whether a text is an RFC 3339 full-date of an existing day. */
export const isDate = (text: string): boolean => text.length === 10 && isDateTime(`${text}T00:00:00Z`)

/** Whether a text is an RFC 3339 full-time with an offset and 0 to 9 fraction digits. */
export const isTime = (text: string): boolean => text.length > 8 && isDateTime(`2000-01-02T${text}`)

/** Whether a text is a duration of RFC 3339, appendix A, such as `P1DT12H`; protobuf's `3.5s` is none. */
export const isDuration = (text: string): boolean =>
  /^P(?!$)(?:\d+W|(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?(?:T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?)$/.test(
    text,
  )

/** Whether a text is a UUID of RFC 9562, of any version and in either case. */
export const isUuid = (text: string): boolean => /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i.test(text)

/**
 * Whether a text is an email address of at most 254 characters: a local part of 1 to 64 characters, in the form
 * Dot-string of RFC 5321 §4.1.2 with letters of all scripts (RFC 6531), `@`, and a host name. Quoted local parts and
 * address literals such as `[192.0.2.1]` are refused.
 */
export const isEmail = (text: string): boolean => text.length <= 254 && email.test(text)

const email =
  /^(?=[^@]{1,64}@)[^\p{Cc}\p{Cf}\p{Cs}\p{Z}@"(),.:;<>[\\\]]+(?:\.[^\p{Cc}\p{Cf}\p{Cs}\p{Z}@"(),.:;<>[\\\]]+)*@[A-Za-z\d](?:[A-Za-z\d-]{0,61}[A-Za-z\d])?(?:\.[A-Za-z\d](?:[A-Za-z\d-]{0,61}[A-Za-z\d])?)*$/u

/** Whether a text is standard base64 with padding and without unused bits (RFC 4648 §4). */
export function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z\d+/]*(?:[AQgw]==|[AEIMQUYcgkosw048]=)?$/.test(text)
}

/** Whether a text is an absolute URI. */
export const isUri = (text: string): boolean => /^[a-z][a-z\d+.-]*:\S+$/i.test(text) && URL.canParse(text)

/** Whether a text is a host name of RFC 1123. */
export const isHostname = (text: string): boolean =>
  text.length <= 253 && /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/i.test(text)

/** Whether a text is an IPv4 address in dotted decimal, without leading zeros. */
export const isIpv4 = (text: string): boolean => /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/.test(text)

/** Whether a text is an IPv6 address of RFC 4291 §2.2, as URLs read it, without a zone. */
export const isIpv6 = (text: string): boolean => /^[\da-f:.]+$/i.test(text) && URL.canParse(`http://[${text}]/`)
