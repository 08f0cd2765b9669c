import { algorithmNotAllowed, lifetimeExceedsIssuer, lifetimeExceedsTemplate } from '../../../output/vault/errors.ts'
import type { CertificateSubject, CertificateTemplate, KeyUsageInput } from '../../../output/vault/types.ts'
import { faultAt } from '../../../runtime/errors.ts'
import { durationMs } from '../../resources/durations.ts'
import type { StoredAuthority } from './authorities-store.ts'
import { isAllowedByChain, type Issuer } from './issuer.ts'
import { listedNames, refuseName, withCommonName, type NamesToCertify } from './names/certified-names.ts'
import { isAllowedByTemplate } from './names/template-names.ts'
import type { RequestedCertificate } from './requested-certificate.ts'
import { defaultLifetime } from './template-form.ts'
import type { CertifiedKey } from './x509/certified-key.ts'
import { emptySubject } from './x509/subject.ts'

/**
 * Returns the subject and the names that a certificate gets: those of the request, as the template and the name
 * constraints of the chain allow them. Throws NAME_NOT_ALLOWED for a name that is not allowed; a name is never dropped.
 */
export function allowedNames(
  requested: RequestedCertificate,
  template: CertificateTemplate | undefined,
  issuer: Issuer,
): NamesToCertify {
  const { field, names, others } = requested
  const isWhole = template?.allow_subject_passthrough ?? true
  const [other] = others
  if (isWhole && other !== undefined)
    refuseName(other, field, 'a subject has no such attribute; leave the attribute out')
  const { common_name } = requested.subject
  const wanted = isWhole ? requested.subject : { ...emptySubject, common_name }
  const named = withCommonName(wanted, names, field)
  if (!isWhole && common_name !== '' && named.common === undefined)
    refuseName(common_name, field, 'the template takes no common name that is not an allowed name')
  const checked = [...listedNames(named.names), ...(named.common ? [named.common] : [])]
  for (const name of checked) {
    if (template && !isAllowedByTemplate(template, name)) refuseName(name.text, field, 'the template does not allow it')
    if (!isAllowedByChain(issuer, name)) refuseName(name.text, field, 'the name constraints of the chain exclude it')
  }
  const { common } = named
  // OpenSSL takes an address for a host name, if there are no DNS names.
  if (
    common?.kind === 'ip' &&
    named.names.dns_names.length === 0 &&
    !isAllowedByChain(issuer, { ...common, kind: 'dns' })
  )
    refuseName(
      common.text,
      field,
      'clients compare it with the DNS name constraints of the chain; leave it to the addresses',
    )
  return { ...named, subject: predefined(named.subject, template) }
}

/** Overwrites the members of a subject that a template sets. */
function predefined(subject: CertificateSubject, template: CertificateTemplate | undefined): CertificateSubject {
  const set = Object.entries(template?.predefined_subject ?? {}).filter(([, value]) => value !== '')
  return { ...subject, ...Object.fromEntries(set) }
}

/** Throws ALGORITHM_NOT_ALLOWED if the template does not accept the kind of key. */
export function requireAlgorithm(
  { algorithm, isRsa }: CertifiedKey,
  template: CertificateTemplate | undefined,
  field: string,
): void {
  const allowed = template?.allowed_key_algorithms ?? []
  if (allowed.length === 0) return
  const isAllowed = allowed.some(each => each === algorithm || (isRsa && each === pssTwin(algorithm)))
  if (isAllowed) return
  throw faultAt(algorithmNotAllowed, field, `the template does not accept keys of ${algorithm ?? 'this kind'}`)
}

/** Returns the name of RSA keys of one size with the other padding: a certified key is not bound to a padding. */
const pssTwin = (algorithm: string | undefined): string | undefined => algorithm?.replace('RSA_PKCS1', 'RSA_PSS')

/** Returns the lifetime of a certificate. Throws LIFETIME_EXCEEDS_TEMPLATE or LIFETIME_EXCEEDS_ISSUER at the field. */
export function allowedLifetime(
  given: string | undefined,
  template: CertificateTemplate | undefined,
  { maximum_lifetime }: StoredAuthority,
): string {
  const lifetime = given ?? defaultOf(template, maximum_lifetime)
  if (template && durationMs(lifetime) > durationMs(template.maximum_lifetime))
    throw faultAt(
      lifetimeExceedsTemplate,
      'lifetime',
      `${lifetime} is more than the ${template.maximum_lifetime} of the template`,
    )
  if (maximum_lifetime !== undefined && durationMs(lifetime) > durationMs(maximum_lifetime))
    throw faultAt(
      lifetimeExceedsIssuer,
      'lifetime',
      `${lifetime} is more than the ${maximum_lifetime} of the authority`,
    )
  return lifetime
}

function defaultOf(template: CertificateTemplate | undefined, maximum: string | undefined): string {
  const lifetime = template ? defaultLifetime(template) : '2592000s'
  return maximum !== undefined && durationMs(maximum) < durationMs(lifetime) ? maximum : lifetime
}

/** The usages that each kind of key can have in the certificate of a leaf. */
const usagesOfKind: Readonly<Record<string, readonly KeyUsageInput[]>> = {
  // RFC 3279, 2.3.1
  rsa: [
    'VAULT_KEY_USAGE_DIGITAL_SIGNATURE',
    'VAULT_KEY_USAGE_CONTENT_COMMITMENT',
    'VAULT_KEY_USAGE_KEY_ENCIPHERMENT',
    'VAULT_KEY_USAGE_DATA_ENCIPHERMENT',
  ],
  // RFC 8813, 3
  ec: ['VAULT_KEY_USAGE_DIGITAL_SIGNATURE', 'VAULT_KEY_USAGE_CONTENT_COMMITMENT', 'VAULT_KEY_USAGE_KEY_AGREEMENT'],
  // RFC 9295, 3
  ed25519: ['VAULT_KEY_USAGE_DIGITAL_SIGNATURE', 'VAULT_KEY_USAGE_CONTENT_COMMITMENT'],
}

/**
 * Returns the usages of the key of a certificate: those of the template that the kind of key can have; without a
 * template, those of servers and clients. Throws ALGORITHM_NOT_ALLOWED at the field if the key can have no usage of the
 * template.
 */
export function usagesOf(
  template: CertificateTemplate | undefined,
  { isRsa, key }: CertifiedKey,
  field: string,
): { readonly key: readonly KeyUsageInput[]; readonly extended: readonly string[] } {
  if (!template)
    return {
      key: ['VAULT_KEY_USAGE_DIGITAL_SIGNATURE', ...(isRsa ? (['VAULT_KEY_USAGE_KEY_ENCIPHERMENT'] as const) : [])],
      extended: ['VAULT_EXTENDED_KEY_USAGE_SERVER_AUTH', 'VAULT_EXTENDED_KEY_USAGE_CLIENT_AUTH'],
    }
  const possible = usagesOfKind[key.asymmetricKeyType ?? ''] ?? []
  const usages = possible.filter(usage => template.key_usages.includes(usage))
  if (usages.length > 0) return { key: usages, extended: template.extended_key_usages }
  throw faultAt(algorithmNotAllowed, field, 'the template has no key usage that a key of this kind can have')
}
