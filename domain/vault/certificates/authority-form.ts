import type {
  CertificateAuthorityInput,
  NameConstraints,
  ParsedCertificateAuthority,
} from '../../../output/vault/types.ts'
import type { FieldViolation } from '../../../runtime/errors.ts'
import { rulesOf, type FormRule } from '../../../runtime/form-rules.ts'
import { durationMs } from '../../resources/durations.ts'
import { addressRange, hostName, uri } from './names/name-forms.ts'

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

const rule = rulesOf<CertificateAuthorityInput>()

/** Makes a rule that holds for new authorities only: an activation refuses all members beside it. */
const creationRule = <const Name extends keyof CertificateAuthorityInput>(
  reads: readonly Name[],
  faults: (body: Pick<CertificateAuthorityInput, Name>) => Iterable<FieldViolation>,
): FormRule => rule(['activation', ...reads], body => (body.activation === undefined ? faults(body) : []))

/** The members beside an activation. */
const otherMembers = {
  name: true,
  display_name: true,
  description: true,
  labels: true,
  type: true,
  subject: true,
  key_algorithm: true,
  crypto_key_id: true,
  lifetime: true,
  max_path_length: true,
  name_constraints: true,
  parent_certificate_authority_id: true,
  crl_urls: true,
  issuing_certificate_urls: true,
  require_template: true,
  maximum_lifetime: true,
  etag: true,
} as const satisfies Record<Exclude<keyof CertificateAuthorityInput, 'activation'>, true>

const isOtherMember = (name: string): name is keyof typeof otherMembers => Object.hasOwn(otherMembers, name)

/** The rules for the members of a new authority or of an activation that the schema does not have (step 5). */
export const authorityForm: readonly FormRule[] = [
  ...(['name', 'type', 'subject', 'lifetime'] as const).map(field =>
    creationRule([field], body =>
      body[field] === undefined ? [{ field, description: 'is required unless activation is given' }] : [],
    ),
  ),
  creationRule(['key_algorithm'], algorithmFaults),
  creationRule(['lifetime'], lifeFaults),
  creationRule(['maximum_lifetime'], maximumFaults),
  creationRule(['parent_certificate_authority_id', 'type'], parentFaults),
  ...(['crl_urls', 'issuing_certificate_urls'] as const).map(member =>
    creationRule([member], body => addressFaults(member, body[member] ?? [])),
  ),
  creationRule(['name_constraints'], ({ name_constraints }) => constraintFaults(name_constraints)),
  ...Object.keys(otherMembers)
    .filter(isOtherMember)
    .map(field =>
      rule(['activation', field], body =>
        body.activation === undefined || isDefault(body[field])
          ? []
          : [{ field, description: 'cannot be given together with activation' }],
      ),
    ),
]

/** Whether a value is that of a member that the body left out. */
function isDefault(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === undefined || value === '' || value === false
  return Object.keys(value).length === 0
}

function* algorithmFaults({ key_algorithm }: CertificateAuthorityInput): Generator<FieldViolation> {
  if (key_algorithm !== undefined && !isAuthorityAlgorithm(key_algorithm))
    yield { field: 'key_algorithm', description: `must be one of ${algorithms.join(', ')}` }
}

function* lifeFaults({ lifetime }: CertificateAuthorityInput): Generator<FieldViolation> {
  const lifeMs = lifetime === undefined ? minLifeMs : durationMs(lifetime)
  if (!(lifeMs >= minLifeMs && lifeMs <= maxLifeMs))
    yield { field: 'lifetime', description: 'must be from 86400s to 946080000s' }
}

function* maximumFaults({ maximum_lifetime }: CertificateAuthorityInput): Generator<FieldViolation> {
  if (maximum_lifetime !== undefined && !(durationMs(maximum_lifetime) >= 300_000))
    yield { field: 'maximum_lifetime', description: 'must be at least 300s' }
}

function* parentFaults(body: CertificateAuthorityInput): Generator<FieldViolation> {
  const { parent_certificate_authority_id = '', type } = body
  if (type === 'VAULT_CERTIFICATE_AUTHORITY_TYPE_ROOT' && parent_certificate_authority_id !== '')
    yield { field: 'parent_certificate_authority_id', description: 'must be empty for a root, which certifies itself' }
}

/** Certificates hold URIs in ASCII: another character would be cut to its last byte, so that the URI names another place. */
function* addressFaults(member: string, urls: readonly string[]): Generator<FieldViolation> {
  const description = 'must be a URL in ASCII; write other characters in percent-encoding, and hosts as A-labels'
  for (const [i, url] of urls.entries())
    if (uri(url)?.parts.authority === undefined || !URL.canParse(url)) yield { field: `${member}[${i}]`, description }
}

/**
 * Returns the body of a new authority with its name constraints in canonical form. The rules of the form have accepted
 * the body.
 */
export function canonicalAuthority(body: ParsedCertificateAuthority): AuthorityBody {
  const { lifetime, name, name_constraints, subject, type } = body
  if (name === undefined || type === undefined || !subject || lifetime === undefined)
    throw new Error('the rules of the form have accepted an authority without its required members')
  return {
    ...body,
    name,
    type,
    subject,
    lifetime,
    ...(name_constraints && { name_constraints: canonicalConstraints(name_constraints) }),
  }
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

function* constraintFaults(constraints: Partial<NameConstraints> | undefined): Generator<FieldViolation> {
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
