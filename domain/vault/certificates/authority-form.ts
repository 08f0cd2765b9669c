import type { NameConstraints, ParsedCertificateAuthority } from '../../../output/vault/types.ts'
import type { FieldViolation } from '../../../runtime/errors.ts'
import { fieldInvalid } from '../../../runtime/refusal.ts'
import { durationMs } from '../values/durations.ts'
import { addressRange, hostName } from './names/name-forms.ts'

const minLifeMs = 86_400_000
const maxLifeMs = 946_080_000_000

/** The algorithms of the keys of authorities. */
const algorithms: readonly string[] = [
  'VAULT_CRYPTO_KEY_ALGORITHM_EC_P256_SHA256',
  'VAULT_CRYPTO_KEY_ALGORITHM_EC_P384_SHA384',
  'VAULT_CRYPTO_KEY_ALGORITHM_ED25519',
  'VAULT_CRYPTO_KEY_ALGORITHM_RSA_PKCS1_3072_SHA256',
  'VAULT_CRYPTO_KEY_ALGORITHM_RSA_PKCS1_4096_SHA256',
  'VAULT_CRYPTO_KEY_ALGORITHM_RSA_PSS_3072_SHA256',
]

/** Whether keys of an algorithm can be the keys of authorities. */
export const isAuthorityAlgorithm = (algorithm: string | undefined): boolean => algorithms.includes(algorithm ?? '')

/** The body of a new authority, with the members that every creation needs. */
export type AuthorityBody = ParsedCertificateAuthority &
  Required<Pick<ParsedCertificateAuthority, 'name' | 'type' | 'subject' | 'lifetime'>>

/**
 * Checks the members of a new authority whose rules the schema does not have (step 5), and returns the body with its
 * name constraints in canonical form. Throws FIELD_INVALID with all faults.
 */
export function requireAuthorityForm(body: ParsedCertificateAuthority): AuthorityBody {
  const faults = [...missing(body), ...formFaults(body), ...constraintFaults(body.name_constraints)]
  const { lifetime, name, name_constraints, subject, type } = body
  if (faults.length > 0 || name === undefined || type === undefined || !subject || lifetime === undefined)
    throw fieldInvalid(faults)
  return {
    ...body,
    name,
    type,
    subject,
    lifetime,
    ...(name_constraints && { name_constraints: canonicalConstraints(name_constraints) }),
  }
}

function* missing(body: ParsedCertificateAuthority): Generator<FieldViolation> {
  for (const field of ['name', 'type', 'subject', 'lifetime'] as const)
    if (body[field] === undefined) yield { field, description: 'is required unless activation is given' }
}

function* formFaults(body: ParsedCertificateAuthority): Generator<FieldViolation> {
  const { key_algorithm, lifetime, maximum_lifetime, parent_certificate_authority_id, type } = body
  if (key_algorithm !== undefined && !isAuthorityAlgorithm(key_algorithm))
    yield { field: 'key_algorithm', description: `must be one of ${algorithms.join(', ')}` }
  const lifeMs = lifetime === undefined ? minLifeMs : durationMs(lifetime)
  if (!(lifeMs >= minLifeMs && lifeMs <= maxLifeMs))
    yield { field: 'lifetime', description: 'must be from 86400s to 946080000s' }
  if (maximum_lifetime !== undefined && !(durationMs(maximum_lifetime) >= 300_000))
    yield { field: 'maximum_lifetime', description: 'must be at least 300s' }
  if (type === 'VAULT_CERTIFICATE_AUTHORITY_TYPE_ROOT' && parent_certificate_authority_id !== '')
    yield { field: 'parent_certificate_authority_id', description: 'must be empty for a root, which certifies itself' }
}

const constraintForms = {
  permitted_dns_names: hostName,
  excluded_dns_names: hostName,
  permitted_ip_ranges: rangeText,
  excluded_ip_ranges: rangeText,
  permitted_email_domains: hostName,
} as const satisfies Record<keyof NameConstraints, (text: string) => string | undefined>

const constraintMembers = [
  'permitted_dns_names',
  'excluded_dns_names',
  'permitted_ip_ranges',
  'excluded_ip_ranges',
  'permitted_email_domains',
] as const satisfies readonly (keyof NameConstraints)[]

function rangeText(text: string): string | undefined {
  return addressRange(text) === undefined ? undefined : text.toLowerCase()
}

function* constraintFaults(constraints: NameConstraints | undefined): Generator<FieldViolation> {
  for (const member of constraintMembers)
    for (const [i, text] of (constraints?.[member] ?? []).entries())
      if (constraintForms[member](text) === undefined)
        yield {
          field: `name_constraints.${member}[${i}]`,
          description: member.includes('ip')
            ? 'must be a range in CIDR notation without bits behind its prefix'
            : 'must be a host name without a wildcard',
        }
}

function canonicalConstraints(constraints: NameConstraints): NameConstraints {
  const canonical = (member: keyof NameConstraints): string[] =>
    constraints[member].flatMap(text => constraintForms[member](text) ?? [])
  return {
    permitted_dns_names: canonical('permitted_dns_names'),
    excluded_dns_names: canonical('excluded_dns_names'),
    permitted_ip_ranges: canonical('permitted_ip_ranges'),
    excluded_ip_ranges: canonical('excluded_ip_ranges'),
    permitted_email_domains: canonical('permitted_email_domains'),
  }
}

/** Checks that an activation comes with no other member (step 5). Throws FIELD_INVALID with all faults. */
export function requireOnlyActivation({ activation: _given, ...others }: ParsedCertificateAuthority): void {
  const faults = Object.entries(others)
    .filter(([, value]) => !isDefault(value))
    .map(([field]) => ({ field, description: 'cannot be given together with activation' }))
  if (faults.length > 0) throw fieldInvalid(faults)
}

/** Whether a value is that of a member that the body left out. */
function isDefault(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === undefined || value === '' || value === false
  return Object.keys(value).length === 0
}
