import type { CertificateTemplate } from '../../../../output/vault/types.ts'
import type { CertifiedName } from './certified-names.ts'
import { addressBytes, addressRange, hostName, isInRange, uri, type UriParts } from './name-forms.ts'

/** The lists of a template that allow names. */
export type NameLists = Pick<
  CertificateTemplate,
  'allowed_dns_names' | 'allow_wildcard_names' | 'allowed_ip_ranges' | 'allowed_uri_prefixes' | 'allowed_email_domains'
>

/** Whether a template allows a name; a list that is empty allows no name of its kind. */
export function isAllowedByTemplate(lists: NameLists, { kind, text }: CertifiedName): boolean {
  if (kind === 'dns') return allowsDns(lists, text)
  if (kind === 'email') return lists.allowed_email_domains.includes(text.slice(text.lastIndexOf('@') + 1))
  if (kind === 'uri') return allowsUri(lists.allowed_uri_prefixes, text)
  const bytes = addressBytes(text)
  return lists.allowed_ip_ranges.some(range => {
    const known = addressRange(range)
    return known !== undefined && isInRange(bytes, known)
  })
}

function allowsDns({ allow_wildcard_names, allowed_dns_names }: NameLists, name: string): boolean {
  if (name.startsWith('*') && !allow_wildcard_names) return false
  return allowed_dns_names.some(pattern => {
    if (pattern.startsWith('**.')) return name.endsWith(pattern.slice(2))
    if (pattern.startsWith('*.')) return name.slice(name.indexOf('.')) === pattern.slice(1) && name.includes('.')
    return name === pattern
  })
}

function allowsUri(prefixes: readonly string[], name: string): boolean {
  const parts = uri(name)?.parts
  // An encoded slash is a slash to some servers, so the segments of the path would be uncertain.
  if (parts?.authority === undefined || /%(?:2f|5c)/i.test(parts.path)) return false
  return prefixes.some(prefix => {
    const allowed = uri(prefix)?.parts
    return allowed !== undefined && isBelow(parts, allowed)
  })
}

function isBelow(name: UriParts, prefix: UriParts): boolean {
  if (name.scheme !== prefix.scheme || name.authority !== prefix.authority) return false
  const path = prefix.path.replace(/\/$/, '')
  return name.path === path || name.path.startsWith(`${path}/`)
}

/** Returns a pattern of DNS names in its canonical form; undefined for a text that is no pattern. */
export function dnsPattern(text: string): string | undefined {
  const [start = ''] = /^\*{0,2}(?<=\*)\./.exec(text) ?? []
  const host = hostName(text.slice(start.length))
  return host === undefined ? undefined : `${start}${host}`
}

/** Returns the beginning of URIs in its canonical form; undefined for a text with a query or a fragment, or no URI. */
export function uriPrefix(text: string): string | undefined {
  const known = uri(text)
  return known?.parts.authority === undefined || /[?#]/.test(text) ? undefined : known.text
}
