/** The validators of a version: its strong entity tag with quotes, and the second in which the version was written. */
export interface Validators {
  readonly tag: string
  readonly modifiedMs: number
}

type Headers = Readonly<Record<string, string | undefined>>

/**
 * Returns the status with which the conditions of a read end it: 412 or 304; undefined if the read goes on. The order is
 * that of RFC 9110 §13.2.2.
 */
export function failedCondition(headers: Headers, validators: Validators): 304 | 412 | undefined {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers
  const unmodified = timeOf(headers['if-unmodified-since'])
  const modified = timeOf(headers['if-modified-since'])
  const second = Math.floor(validators.modifiedMs / 1000) * 1000
  if (match !== undefined) {
    if (!names(match, validators.tag, 'strong')) return 412
  } else if (unmodified !== undefined && second > unmodified) return 412
  if (noneMatch !== undefined) return names(noneMatch, validators.tag, 'weak') ? 304 : undefined
  return modified !== undefined && second <= modified ? 304 : undefined
}

/** Whether `If-Range` allows a range: without the header, for the same strong tag, and for the same date. */
export function allowsRange(header: string | undefined, { modifiedMs, tag }: Validators): boolean {
  if (header === undefined) return true
  const date = timeOf(header)
  return date === undefined ? header.trim() === tag : Math.floor(modifiedMs / 1000) * 1000 === date
}

function names(header: string, tag: string, comparison: 'strong' | 'weak'): boolean {
  if (header.trim() === '*') return true
  return header.split(',').some(each => {
    const named = each.trim()
    return (comparison === 'weak' ? named.replace(/^W\//, '') : named) === tag
  })
}

/** Matches the three forms of an HTTP date (RFC 9110 §5.6.7); only the last form names no zone. */
const dateForms = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
] as const
const dateWithoutZone = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/

/** Returns the time of an HTTP date in milliseconds since 1970; undefined for another text, which has no effect. */
function timeOf(date: string | undefined): number | undefined {
  if (date === undefined) return undefined
  const isDate = dateForms.some(form => form.test(date))
  const time = Date.parse(isDate ? date : dateWithoutZone.test(date) ? `${date} GMT` : '')
  return Number.isNaN(time) ? undefined : time
}
