import { nameNotAllowed } from '../../../../output/vault/errors.ts'
import type { CertificateSubject, SubjectAltNames } from '../../../../output/vault/types.ts'
import { dnsName, emailAddress, ipAddress, uri } from './name-forms.ts'

/** The kinds of names in certificates. */
export type NameKind = 'dns' | 'ip' | 'uri' | 'email'

/** A name in its canonical form. */
export interface CertifiedName {
  readonly kind: NameKind
  readonly text: string
}

/** The members of the alternative names, with the kind of their names and the canonical form; undefined for no name. */
const forms = {
  dns_names: { kind: 'dns', form: dnsName },
  ip_addresses: { kind: 'ip', form: ipAddress },
  uris: { kind: 'uri', form: (text: string) => uri(text)?.text },
  email_addresses: { kind: 'email', form: emailAddress },
} as const satisfies Record<keyof SubjectAltNames, { kind: NameKind; form: (text: string) => string | undefined }>

/** The members of the alternative names in the order of certificates. */
export const nameMembers = ['dns_names', 'ip_addresses', 'uris', 'email_addresses'] as const

/** The maximal number of names of each kind. */
export const maxNames = 100

/** Throws NAME_NOT_ALLOWED for a name, which the metadata repeat. */
export function refuseName(name: string, field: string, reason: string): never {
  const shown = name.slice(0, 80)
  const message = `the name ${JSON.stringify(shown)} is not allowed: ${reason}`
  throw nameNotAllowed(message, { name: shown }, { badRequest: [{ field, description: message }] })
}

/**
 * Returns alternative names in their canonical forms, each once. `refuse` gets a text that is no name of its kind, and
 * throws.
 */
export function canonicalNames(names: SubjectAltNames, refuse: (text: string) => never): SubjectAltNames {
  const canonical = (member: keyof SubjectAltNames): string[] => {
    const { form } = forms[member]
    return [...new Set(names[member].map(text => form(text) ?? refuse(text)))]
  }
  return {
    dns_names: canonical('dns_names'),
    ip_addresses: canonical('ip_addresses'),
    uris: canonical('uris'),
    email_addresses: canonical('email_addresses'),
  }
}

/** Returns the place of each text that is no name of its kind, such as `dns_names[1]`. */
export function* malformedNames(names: Partial<SubjectAltNames>): Generator<string> {
  for (const member of nameMembers)
    for (const [i, text] of (names[member] ?? []).entries())
      if (forms[member].form(text) === undefined) yield `${member}[${i}]`
}

/** Returns the names of a certificate with their kinds. */
export const listedNames = (names: SubjectAltNames): readonly CertifiedName[] =>
  nameMembers.flatMap(member => names[member].map(text => ({ kind: forms[member].kind, text })))

/** Dots of host names, which the internationalised form writes in four ways. */
const dot = /[.\u3002\uff0e\uff61]/

/**
 * Whether clients may read a common name as the name of a host: a text with a dot and without white space inside.
 * Programs that find no alternative name compare the common name with the host.
 */
function looksLikeHost(text: string): boolean {
  const trimmed = text.trim()
  return dot.test(trimmed) && !/[\s@/]/.test(trimmed)
}

/**
 * Returns the name that a common name is: of a host or an address if it looks like one, else of a host without a dot, an
 * e-mail address or a URI; undefined for any other text, such as the name of a person. Throws NAME_NOT_ALLOWED for a
 * text that looks like a host and is none.
 */
export function nameInCommonName(text: string, field: string): CertifiedName | undefined {
  for (const member of nameMembers) {
    const { form, kind } = forms[member]
    const name = form(text)
    if (name !== undefined) return { kind, text: name }
  }
  if (looksLikeHost(text)) refuseName(text, field, 'it looks like a host name and is none')
  return undefined
}

/** The names that are going to be certified. */
export interface NamesToCertify {
  readonly subject: CertificateSubject
  readonly names: SubjectAltNames
  /** The name in the common name; undefined for none. */
  readonly common: CertifiedName | undefined
}

/**
 * Adds the name in the common name to the alternative names, if it looks like a host: so that clients that compare the
 * common name find no other name than the checked ones. Throws NAME_NOT_ALLOWED.
 */
export function withCommonName(subject: CertificateSubject, names: SubjectAltNames, field: string): NamesToCertify {
  const { common_name } = subject
  const common = common_name === '' ? undefined : nameInCommonName(common_name, field)
  if (!common || !looksLikeHost(common_name)) return { subject, names, common }
  if (common.text.length > 64) refuseName(common_name, field, 'a common name has at most 64 characters')
  const member = common.kind === 'ip' ? 'ip_addresses' : 'dns_names'
  const all = [...new Set([...names[member], common.text])]
  if (all.length > maxNames) refuseName(common_name, field, `a certificate has at most ${maxNames} names of a kind`)
  return { common, subject: { ...subject, common_name: common.text }, names: { ...names, [member]: all } }
}
