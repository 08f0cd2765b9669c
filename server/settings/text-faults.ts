import { isEmail } from '../../runtime/formats.ts'
import { nativeEngine } from '../engines.ts'

/**
 * Checks for the texts of settings. Each check returns the fault as the continuation of the setting's name, or
 * undefined. The fault never quotes the value, which may hold a password.
 */

/** Returns the fault of a text without characters other than blanks. */
export function emptyFault(value: string): string | undefined {
  return value.trim() === '' ? 'must not be empty' : undefined
}

/** Returns the fault of a text that is no HTTP URL. */
export function httpUrlFault(value: string): string | undefined {
  return /^https?:\/\//.test(value) && URL.canParse(value) ? undefined : 'must be an http or https URL'
}

/** Returns the fault of a text that is no host with or without a port, as image references begin with. */
export function hostFault(value: string): string | undefined {
  const isUsable = /^(?:[a-z0-9.-]+|\[[\da-f:]+\])(?::\d{1,5})?$/.test(value) && URL.canParse(`https://${value}`)
  return isUsable ? undefined : 'must be a host in lower case, with or without a port, such as "registry.example:5000"'
}

/** Returns the fault of a text that cannot name an engine. */
export function engineNameFault(value: string): string | undefined {
  const isName = /^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(value)
  return isName ? undefined : 'must be lower-case letters, digits and hyphens, and begin with a letter'
}

/** Returns the fault of a text that cannot name an engine beside the native engine. */
export function addedEngineFault(value: string): string | undefined {
  if (value === nativeEngine) return 'must not be the name of the engine that the server has without a setting'
  return engineNameFault(value)
}

/** Returns the fault of a text that is no URL of a PostgreSQL database. */
export function storeUrlFault(value: string): string | undefined {
  const isUsable = /^postgres(?:ql)?:\/\//.test(value) && URL.canParse(value)
  return isUsable ? undefined : 'must be the URL of a database, postgres://user:password@host:5432/name'
}

/** Returns the fault of a text that is no URL of a mail server. */
export function smtpUrlFault(value: string): string | undefined {
  const isUsable = /^smtps?:\/\//.test(value) && URL.canParse(value) && new URL(value).hostname !== ''
  return isUsable ? undefined : 'must be the URL of a mail server, smtps://user:password@host:465'
}

/** Returns the fault of a text that is no sender: an address, with or without a name. */
export function senderFault(value: string): string | undefined {
  const [, address = value] = /^[^<>@\p{Cc}]+ <(.+)>$/u.exec(value) ?? []
  return isEmail(address) ? undefined : 'must be an address, such as "Ninefold <cloud@example.com>"'
}

/** Returns the fault of a text that is neither an address, by the rule of addresses in bodies, nor empty. */
export function optionalAddressFault(value: string): string | undefined {
  return value === '' || isEmail(value) ? undefined : 'must be an address, or empty'
}

/** Returns the fault of a text that is no address of a listener. */
export function listenerFault(value: string): string | undefined {
  return listenerOf(value) === undefined ? 'must be an address and a port, such as "127.0.0.1:9090"' : undefined
}

/** Returns the host and the port of a text such as `127.0.0.1:9090` or `[::1]:9090`; undefined for another text. */
export function listenerOf(value: string): { readonly host: string; readonly port: number } | undefined {
  const [, inBrackets, name, port] = /^(?:\[([\da-fA-F:.]+)\]|([^\s:[\]/]+)):(\d{1,5})$/.exec(value) ?? []
  const host = inBrackets ?? name
  return host === undefined || Number(port) > 65_535 ? undefined : { host, port: Number(port) }
}
