/**
 * What texts of settings may hold. Each check answers what is wrong, as it goes on after the name of the setting, or
 * undefined, and says nothing of the value, which may hold a password.
 */

/** For a text that must say something. */
export function emptyFault(value: string): string | undefined {
  return value.trim() === '' ? 'must not be empty' : undefined
}

/** For a place on the web. */
export function httpUrlFault(value: string): string | undefined {
  return /^https?:\/\//.test(value) && URL.canParse(value) ? undefined : 'must be an http or https URL'
}

/** For a database of PostgreSQL. */
export function storeUrlFault(value: string): string | undefined {
  const isUsable = /^postgres(?:ql)?:\/\//.test(value) && URL.canParse(value)
  return isUsable ? undefined : 'must be the URL of a database, postgres://user:password@host:5432/name'
}
