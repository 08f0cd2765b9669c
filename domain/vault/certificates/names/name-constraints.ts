import { childrenOf, elementAt, type Element } from '../x509/der.ts'
import type { NameConstraints } from '../../../../output/vault/types.ts'
import type { CertifiedName } from './certified-names.ts'
import { addressBytes, addressRange, uri } from './name-forms.ts'

/** A subtree of names (RFC 5280, 4.2.1.10). The base of an address range is the address and its mask. */
export interface Subtree {
  readonly kind: CertifiedName['kind']
  readonly base: string | readonly number[]
}

/** The names that one authority permits and excludes below itself. */
export interface NameRules {
  readonly permitted: readonly Subtree[]
  readonly excluded: readonly Subtree[]
}

/** Returns the rules of the constraints that a row holds. */
export function rulesOf(constraints: NameConstraints): NameRules {
  const dns = (base: string): Subtree => ({ kind: 'dns', base })
  return {
    permitted: [
      ...constraints.permitted_dns_names.map(dns),
      ...constraints.permitted_ip_ranges.map(rangeTree),
      ...constraints.permitted_email_domains.map((base): Subtree => ({ kind: 'email', base })),
    ],
    excluded: [...constraints.excluded_dns_names.map(dns), ...constraints.excluded_ip_ranges.map(rangeTree)],
  }
}

function rangeTree(text: string): Subtree {
  const { bytes = [], prefix = 0 } = addressRange(text) ?? {}
  const mask = bytes.map((_byte, i) => 0xff & ~(0xff >> Math.min(Math.max(prefix - i * 8, 0), 8)))
  return { kind: 'ip', base: [...bytes, ...mask] }
}

const kinds: ReadonlyMap<number, Subtree['kind']> = new Map([
  [0x81, 'email'],
  [0x82, 'dns'],
  [0x86, 'uri'],
  [0x87, 'ip'],
])

/**
 * Returns the rules of an extension NameConstraints in DER; undefined for rules that the platform cannot check: of
 * directory names or other kinds, and with distances. Throws `DerFault`.
 */
export function readNameRules(der: Buffer): NameRules | undefined {
  const parts = childrenOf(elementAt(der, 0))
  const trees = (tag: number): readonly (Subtree | undefined)[] =>
    parts.filter(part => part.tag === tag).flatMap(part => childrenOf(part).map(readSubtree))
  const [permitted, excluded] = [trees(0xa0), trees(0xa1)]
  const isKnown = (list: readonly (Subtree | undefined)[]): list is readonly Subtree[] => !list.includes(undefined)
  return isKnown(permitted) && isKnown(excluded) ? { permitted, excluded } : undefined
}

function readSubtree(subtree: Element): Subtree | undefined {
  const [name, ...distances] = childrenOf(subtree)
  const kind = kinds.get(name?.tag ?? 0)
  if (!name || !kind || distances.length > 0) return undefined
  if (kind !== 'ip') return { kind, base: name.content.toString('latin1').toLowerCase() }
  return name.content.length === 8 || name.content.length === 32 ? { kind, base: [...name.content] } : undefined
}

/** Whether the rules of an authority allow a name: it is in no excluded subtree, and in a permitted one if any has its kind. */
export function isAllowedBy({ excluded, permitted }: NameRules, name: CertifiedName): boolean {
  const ofKind = (trees: readonly Subtree[]): readonly Subtree[] => trees.filter(({ kind }) => kind === name.kind)
  if (ofKind(excluded).some(tree => isIn(name, tree) || isOverlapping(name, tree))) return false
  const allowed = ofKind(permitted)
  return allowed.length === 0 || allowed.some(tree => isIn(name, tree))
}

function isIn({ kind, text }: CertifiedName, { base }: Subtree): boolean {
  if (typeof base !== 'string') return kind === 'ip' && isInMask(addressBytes(text), base)
  if (kind === 'dns') return base === '' || text === base || text.endsWith(base.startsWith('.') ? base : `.${base}`)
  const host = kind === 'email' ? text.slice(text.lastIndexOf('@') + 1) : hostOf(text)
  if (kind === 'email' && base.includes('@')) return text.toLowerCase() === base
  return host !== undefined && (base.startsWith('.') ? host.endsWith(base) : host === base)
}

/** Whether a wildcard stands for the excluded name itself, which the comparison of suffixes does not see. */
function isOverlapping({ kind, text }: CertifiedName, { base }: Subtree): boolean {
  if (kind !== 'dns' || typeof base !== 'string' || !text.startsWith('*.') || base.startsWith('.')) return false
  return base.slice(base.indexOf('.')) === text.slice(1)
}

function isInMask(bytes: readonly number[], base: readonly number[]): boolean {
  if (base.length !== bytes.length * 2) return false
  return bytes.every((byte, i) => ((byte ^ (base[i] ?? 0)) & (base[bytes.length + i] ?? 0)) === 0)
}

/** Returns the host in the authority of a URI; undefined for none, and for an address. */
function hostOf(text: string): string | undefined {
  const authority = uri(text)?.parts.authority
  const host = authority?.slice(authority.lastIndexOf('@') + 1).replace(/:\d*$/, '')
  return host === undefined || host.startsWith('[') || /^[\d.]+$/.test(host) ? undefined : host
}
