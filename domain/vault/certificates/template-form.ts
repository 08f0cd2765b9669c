import { templateUsageNotAllowed } from '../../../output/vault/errors.ts'
import type {
  CertificateTemplate,
  ParsedCertificateTemplate,
  UpdateCertificateTemplateRequest,
} from '../../../output/vault/types.ts'
import { faultAt, type FieldViolation } from '../../../runtime/errors.ts'
import { fieldInvalid } from '../../../runtime/refusal.ts'
import { durationMs } from '../values/durations.ts'
import { addressRange, hostName } from './names/name-forms.ts'
import { dnsPattern, uriPrefix } from './names/template-names.ts'
import { isObjectIdentifier } from './x509/extensions.ts'

/** The smallest lifetime of a certificate, in milliseconds. */
export const minLifeMs = 300_000

/** The longest lifetime that a template can allow: that of an authority, in milliseconds. */
const maxLifeMs = 946_080_000_000

type Body = ParsedCertificateTemplate | UpdateCertificateTemplateRequest['body']

const lists = {
  allowed_dns_names: { form: dnsPattern, description: 'must be a host name, behind `*.` or `**.` for a pattern' },
  allowed_ip_ranges: {
    form: (text: string) => (addressRange(text) === undefined ? undefined : text.toLowerCase()),
    description: 'must be a range in CIDR notation without bits behind its prefix',
  },
  allowed_uri_prefixes: { form: uriPrefix, description: 'must be a URI with an authority, without a query' },
  allowed_email_domains: { form: hostName, description: 'must be a host name' },
} as const

const listMembers = ['allowed_dns_names', 'allowed_ip_ranges', 'allowed_uri_prefixes', 'allowed_email_domains'] as const

/**
 * Checks the members of a new template or of an update whose rules the schema does not have (step 5), and returns the
 * body with its names in canonical form. Throws FIELD_INVALID with all faults, or TEMPLATE_USAGE_NOT_ALLOWED.
 */
export function requireTemplateForm<B extends Body>(body: B): B {
  const faults = [...lifeFaults(body), ...nameFaults(body), ...identifierFaults(body)]
  if (faults.length > 0) throw fieldInvalid(faults)
  for (const [i, usage] of (body.key_usages ?? []).entries())
    if (usage === 'VAULT_KEY_USAGE_CERT_SIGN' || usage === 'VAULT_KEY_USAGE_CRL_SIGN')
      throw faultAt(
        templateUsageNotAllowed,
        `key_usages[${i}]`,
        `${usage} is for authorities; templates are for leaf certificates`,
      )
  const canonical = listMembers.flatMap(member => {
    const given = body[member]
    return given === undefined ? [] : [[member, given.flatMap(text => lists[member].form(text) ?? [])] as const]
  })
  return { ...body, ...Object.fromEntries(canonical) }
}

function* lifeFaults({ default_lifetime, maximum_lifetime }: Body): Generator<FieldViolation> {
  for (const [field, lifetime] of Object.entries({ default_lifetime, maximum_lifetime })) {
    if (lifetime === undefined) continue
    const lifeMs = durationMs(lifetime)
    if (!(lifeMs >= minLifeMs && lifeMs <= maxLifeMs)) yield { field, description: 'must be from 300s to 946080000s' }
  }
}

function* nameFaults(body: Body): Generator<FieldViolation> {
  for (const member of listMembers)
    for (const [i, text] of (body[member] ?? []).entries())
      if (lists[member].form(text) === undefined)
        yield { field: `${member}[${i}]`, description: lists[member].description }
}

function* identifierFaults({ extended_key_usages, policy_oids }: Body): Generator<FieldViolation> {
  const description = 'must be an object identifier with numbers below 2147483648'
  for (const [i, usage] of (extended_key_usages ?? []).entries())
    if (!usage.startsWith('VAULT_') && !isObjectIdentifier(usage))
      yield { field: `extended_key_usages[${i}]`, description }
  for (const [i, id] of (policy_oids ?? []).entries())
    if (!isObjectIdentifier(id)) yield { field: `policy_oids[${i}]`, description }
}

const defaultLifeMs = 2_592_000_000

/** Returns the default lifetime of a template: the given one, else the smaller of 30 days and the maximum. */
export function defaultLifetime({
  default_lifetime,
  maximum_lifetime,
}: Pick<CertificateTemplate, 'default_lifetime' | 'maximum_lifetime'>): string {
  if (default_lifetime !== undefined) return default_lifetime
  return durationMs(maximum_lifetime) < defaultLifeMs ? maximum_lifetime : '2592000s'
}

/** Requires that the default lifetime of a template is not above its maximum. Throws FIELD_INVALID. */
export function requireLifetimes(template: Pick<CertificateTemplate, 'default_lifetime' | 'maximum_lifetime'>): void {
  if (durationMs(defaultLifetime(template)) <= durationMs(template.maximum_lifetime)) return
  throw fieldInvalid([{ field: 'default_lifetime', description: 'must not be above maximum_lifetime' }])
}
