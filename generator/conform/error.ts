import type { HttpAnswer } from './call.ts'
import { isObject, memberOf, parsed } from './json.ts'

/** The error in a response whose body is a google.rpc.Status (conventions §7). */
export interface ReportedError {
  readonly rpc: number
  readonly reason: string
  readonly domain: string
  /** The value of `metadata.code`. */
  readonly code: string | undefined
  /** The field names in the BadRequest of the error. */
  readonly fields: readonly string[]
}

/** The number and HTTP status of each google.rpc.Code, keyed by the name of the code (conventions §7). */
export const statusOfRpc: ReadonlyMap<string, readonly [code: number, status: number]> = new Map([
  ['CANCELLED', [1, 499]],
  ['UNKNOWN', [2, 500]],
  ['INVALID_ARGUMENT', [3, 400]],
  ['DEADLINE_EXCEEDED', [4, 504]],
  ['NOT_FOUND', [5, 404]],
  ['ALREADY_EXISTS', [6, 409]],
  ['PERMISSION_DENIED', [7, 403]],
  ['RESOURCE_EXHAUSTED', [8, 429]],
  ['FAILED_PRECONDITION', [9, 400]],
  ['ABORTED', [10, 409]],
  ['OUT_OF_RANGE', [11, 400]],
  ['UNIMPLEMENTED', [12, 501]],
  ['INTERNAL', [13, 500]],
  ['UNAVAILABLE', [14, 503]],
  ['DATA_LOSS', [15, 500]],
  ['UNAUTHENTICATED', [16, 401]],
])

/** Returns the error of a response; undefined if the body is no google.rpc.Status with ErrorInfo. */
export function errorOf({ body }: HttpAnswer): ReportedError | undefined {
  const status = parsed(body)?.value
  if (!isObject(status)) return undefined
  const details = objectsOf(memberOf(status, 'details'))
  const info = details.find(each => isOf(each, 'ErrorInfo'))
  const rpc = memberOf(status, 'code')
  if (!info || typeof rpc !== 'number') return undefined
  const metadata = memberOf(info, 'metadata')
  const code = isObject(metadata) ? memberOf(metadata, 'code') : undefined
  return {
    rpc,
    reason: textOf(info, 'reason'),
    domain: textOf(info, 'domain'),
    code: typeof code === 'string' ? code : undefined,
    fields: details
      .filter(each => isOf(each, 'BadRequest'))
      .flatMap(each => objectsOf(memberOf(each, 'field_violations')))
      .map(violation => textOf(violation, 'field')),
  }
}

/**
 * Summarizes a response: its status, then the reason and the fields of its error, or the first 120 characters of the
 * body if there is no error.
 */
export function summaryOf(answer: HttpAnswer): string {
  const error = answer.status >= 300 ? errorOf(answer) : undefined
  if (!error) return `${answer.status} ${answer.body.slice(0, 120)}`.trim()
  const fields = error.fields.map(field => JSON.stringify(field)).join(', ')
  return `${answer.status} ${error.reason}${fields && ` at ${fields}`}`
}

type Members = Readonly<Record<string, unknown>>

const objectsOf = (value: unknown): readonly Members[] => (Array.isArray(value) ? value.filter(isObject) : [])

const isOf = (detail: Members, type: string): boolean => textOf(detail, '@type').endsWith(`/google.rpc.${type}`)

function textOf(value: Members, name: string): string {
  const member = memberOf(value, name)
  return typeof member === 'string' ? member : ''
}
