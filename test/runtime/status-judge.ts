import { isRecord } from '../../runtime/validation.ts'

/**
 * Returns true if a value is a well-formed google.rpc.Status of this platform, by google/rpc/error_details.proto and
 * AIP-193.
 */
export function isStatus(value: unknown): boolean {
  if (!isRecord(value) || !hasOnly(value, ['code', 'message', 'details'])) return false
  const { code, message, details = [] } = value
  if (!Number.isInteger(code) || Number(code) < 1 || Number(code) > 16) return false
  if (typeof message !== 'string' || message === '' || !Array.isArray(details)) return false
  const types = details.map(detail => (isRecord(detail) ? detail['@type'] : undefined))
  return (
    details.every(isDetail) && new Set(types).size === types.length && types.some(type => type === `${prefix}ErrorInfo`)
  )
}

/** Returns true if a detail is well formed; details of unknown types always are. */
export function isDetail(value: unknown): boolean {
  if (!isRecord(value) || typeof value['@type'] !== 'string') return false
  const type = value['@type']
  return type.startsWith(prefix) ? (checks[type.slice(prefix.length)]?.(value) ?? true) : type !== ''
}

const prefix = 'type.googleapis.com/google.rpc.'
const reason = /^[A-Z][A-Z0-9_]+[A-Z0-9]$/

const isReason = (value: unknown): boolean => typeof value === 'string' && value.length <= 63 && reason.test(value)
const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''
const hasOnly = (value: object, names: readonly string[]): boolean =>
  Object.keys(value).every(name => names.includes(name))

const checks: Readonly<Record<string, (detail: Record<string, unknown>) => boolean>> = {
  ErrorInfo: ({ reason, domain, metadata = {} }) =>
    isReason(reason) &&
    isText(domain) &&
    isRecord(metadata) &&
    Object.entries(metadata).every(
      ([key, value]) => /^[a-z][a-zA-Z0-9_-]{1,63}$/.test(key) && typeof value === 'string',
    ),
  RetryInfo: ({ retry_delay }) => typeof retry_delay === 'string' && /^\d+(\.\d{1,9})?s$/.test(retry_delay),
  BadRequest: ({ field_violations }) =>
    isList(
      field_violations,
      ({ field, description, reason }) =>
        isText(field) && isText(description) && (reason === undefined || isReason(reason)),
    ),
  PreconditionFailure: ({ violations }) => isList(violations, ({ type, subject }) => isText(type) && isText(subject)),
  QuotaFailure: ({ violations }) =>
    isList(violations, ({ subject, description }) => isText(subject) && isText(description)),
  ResourceInfo: ({ resource_type, resource_name }) => isText(resource_type) && isText(resource_name),
  Help: ({ links }) => isList(links, ({ url }) => typeof url === 'string' && URL.canParse(url)),
  LocalizedMessage: ({ locale, message }) => isText(locale) && isText(message),
}

function isList(value: unknown, check: (row: Record<string, unknown>) => boolean): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(row => isRecord(row) && check(row))
}
