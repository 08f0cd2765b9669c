import { domainToASCII } from 'node:url'
import ipaddr from 'ipaddr.js'

/** The longest DNS name, and the longest e-mail address (RFC 5321, 4.5.3.1.3). */
const maxHost = 253
const maxEmail = 254
const maxUri = 2048

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * Returns a host name in lower case and A-labels; undefined for a text that is no host name of letters, digits and
 * hyphens. A wildcard is no host name.
 */
export function hostName(text: string): string | undefined {
  const isAscii = /^[A-Za-z0-9.-]+$/.test(text)
  if (!isAscii && !/^(?:[A-Za-z0-9.-]|[^\p{ASCII}])+$/u.test(text)) return undefined
  if (text.length > maxHost) return undefined
  const name = domainToASCII(text)
  const labels = name.split('.')
  if (name === '' || name.length > maxHost || !labels.every(each => label.test(each))) return undefined
  // The parser of hosts turns a last label of digits into an address.
  if (/^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '') || (isAscii && name !== text.toLowerCase())) return undefined
  return name
}

/** Returns a DNS name for certificates, as `hostName` does; `*` may stand for the whole leftmost label. */
export function dnsName(text: string): string | undefined {
  if (!text.startsWith('*.')) return hostName(text)
  const rest = hostName(text.slice(2))
  return rest === undefined || rest.length + 2 > maxHost ? undefined : `*.${rest}`
}

/** Returns an address in its canonical form; an IPv4 address in IPv6 becomes an IPv4 address. */
export function ipAddress(text: string): string | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return text
  if (!text.includes(':') || !ipaddr.IPv6.isValid(text) || text.includes('%')) return undefined
  return ipaddr.process(text).toString()
}

/** A range of addresses: the bytes of the first address, and the length of the prefix. */
export interface AddressRange {
  readonly bytes: readonly number[]
  readonly prefix: number
}

/** Returns the range of a text in CIDR notation; undefined if the text is none, or has bits behind its prefix. */
export function addressRange(text: string): AddressRange | undefined {
  const [address = '', length = '', ...more] = text.split('/')
  const known = ipAddress(address)
  if (known === undefined || more.length > 0 || !/^(?:0|[1-9]\d{0,2})$/.test(length)) return undefined
  const [bytes, prefix] = [addressBytes(known), Number(length)]
  if (prefix > bytes.length * 8 || address.includes(':') !== known.includes(':')) return undefined
  const isFirst = bytes.every((byte, i) => (byte & (0xff >> Math.min(Math.max(prefix - i * 8, 0), 8))) === 0)
  return isFirst ? { bytes, prefix } : undefined
}

/** Returns the bytes of a canonical address. */
export const addressBytes = (address: string): readonly number[] => ipaddr.parse(address).toByteArray()

/** Whether an address lies in a range; false for an address of the other family. */
export function isInRange(bytes: readonly number[], range: AddressRange): boolean {
  if (bytes.length !== range.bytes.length) return false
  return bytes.every((byte, i) => {
    const bits = Math.min(Math.max(range.prefix - i * 8, 0), 8)
    return ((byte ^ (range.bytes[i] ?? 0)) & (0xff & ~(0xff >> bits))) === 0
  })
}

/** Returns an e-mail address with its domain in lower case and A-labels; undefined for another text. */
export function emailAddress(text: string): string | undefined {
  const at = text.lastIndexOf('@')
  const [local, domain] = [text.slice(0, at), hostName(text.slice(at + 1))]
  const isLocal = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/.test(local)
  if (at < 1 || domain === undefined || !isLocal || local.length > 64) return undefined
  const address = `${local}@${domain}`
  return address.length <= maxEmail ? address : undefined
}

/** The parts of a URI that rules compare. */
export interface UriParts {
  readonly scheme: string
  /** The authority in lower case; undefined for a URI without an authority, such as a URN. */
  readonly authority: string | undefined
  readonly path: string
}

/**
 * Returns a URI with its scheme and its authority in lower case; undefined for a text with other characters than RFC 3986
 * allows, or with a path that leaves its place by `.` or `..`.
 */
export function uri(text: string): { readonly text: string; readonly parts: UriParts } | undefined {
  if (text.length > maxUri || !/^(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$/.test(text)) return undefined
  const [, scheme = '', rest = ''] = /^([A-Za-z][A-Za-z0-9+.-]*):(.+)$/.exec(text) ?? []
  if (scheme === '') return undefined
  const [, authority, path = '', end = ''] = /^(?:\/\/([^/?#]*))?([^?#]*)(.*)$/.exec(rest) ?? []
  if (authority === '' || path.split('/').some(part => /^(?:\.|%2e){1,2}$/i.test(part))) return undefined
  const parts = { scheme: scheme.toLowerCase(), authority: authority?.toLowerCase(), path }
  const head = parts.authority === undefined ? '' : `//${parts.authority}`
  return { text: `${parts.scheme}:${head}${path}${end}`, parts }
}
