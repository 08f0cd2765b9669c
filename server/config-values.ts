/**
 * What settings may hold. Each check answers what is wrong, as it goes on after the name of the setting, or undefined.
 */
import { proxyList } from './http/client-address.ts'

/** Days that operations are kept at least, whatever is set (conventions §5). */
const minOperationsDays = 30

/** The entries of a list that stands in one text. */
export const entriesOf = (value: string): readonly string[] =>
  value
    .split(',')
    .map(entry => entry.trim())
    .filter(entry => entry !== '')

export function proxyListFault(value: string): string | undefined {
  try {
    proxyList(entriesOf(value))
    return undefined
  } catch {
    return 'must be addresses and blocks with commas between them, such as "10.0.0.0/8, ::1"'
  }
}

export function emptyFault(value: string): string | undefined {
  return value.trim() === '' ? 'must not be empty' : undefined
}

export function portFault(value: string): string | undefined {
  return /^\d{1,5}$/.test(value) && Number(value) <= 65535 ? undefined : 'must be a port, 0 to 65535'
}

export function countFault(value: string): string | undefined {
  return /^[1-9]\d{0,8}$/.test(value) ? undefined : 'must be a number from 1 on'
}

export function countOrOffFault(value: string): string | undefined {
  return /^\d{1,9}$/.test(value) ? undefined : 'must be a number, 0 for no bound'
}

export function durationFault(value: string): string | undefined {
  const isForm = /^\d{1,6}(?:\.\d{1,3})?s$/.test(value)
  return isForm && Number(value.slice(0, -1)) > 0 ? undefined : 'must be a duration such as "15s" or "0.5s"'
}

export function booleanFault(value: string): string | undefined {
  return value === 'true' || value === 'false' ? undefined : 'must be true or false'
}

export function keptDaysFault(value: string): string | undefined {
  const isUsable = /^\d{1,5}$/.test(value) && Number(value) >= minOperationsDays
  return isUsable ? undefined : `must be a number of days, ${minOperationsDays} to 99999`
}

export function httpUrlFault(value: string): string | undefined {
  return /^https?:\/\//.test(value) && URL.canParse(value) ? undefined : 'must be an http or https URL'
}

/** Says nothing of the value, which may hold a password. */
export function storeUrlFault(value: string): string | undefined {
  const isUsable = /^postgres(?:ql)?:\/\//.test(value) && URL.canParse(value)
  return isUsable ? undefined : 'must be the URL of a database, postgres://user:password@host:5432/name'
}
