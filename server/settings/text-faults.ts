/**
 * Checks for the texts of settings. Each check returns the fault as the continuation of the setting's name, or
 * undefined. The fault never quotes the value, which may hold a password.
 */

/** Requires a text that is not empty. */
export function emptyFault(value: string): string | undefined {
  return value.trim() === '' ? 'must not be empty' : undefined
}

/** Requires a URL of the web. */
export function httpUrlFault(value: string): string | undefined {
  return /^https?:\/\//.test(value) && URL.canParse(value) ? undefined : 'must be an http or https URL'
}

/** Requires the URL of a PostgreSQL database. */
export function storeUrlFault(value: string): string | undefined {
  const isUsable = /^postgres(?:ql)?:\/\//.test(value) && URL.canParse(value)
  return isUsable ? undefined : 'must be the URL of a database, postgres://user:password@host:5432/name'
}
