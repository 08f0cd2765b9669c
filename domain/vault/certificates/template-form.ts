import { templateUsageNotAllowed } from '../../../output/vault/errors.ts'
import type {
  CertificateTemplate,
  CertificateTemplateUpdate,
  ParsedCertificateTemplate,
} from '../../../output/vault/types.ts'
import { faultAt, type FieldViolation } from '../../../runtime/errors.ts'
import { rulesOf, type FormRule } from '../../../runtime/form-rules.ts'
import { fieldInvalid } from '../../../runtime/refusal.ts'
import { durationMs } from '../../resources/durations.ts'
import { addressRange, hostName } from './names/name-forms.ts'
import { dnsPattern, uriPrefix } from './names/template-names.ts'
import { isObjectIdentifier } from './x509/extensions.ts'

/** The smallest lifetime of a certificate, in milliseconds. */
export const minLifeMs = 300_000

/** The longest lifetime that a template can allow: that of an authority, in milliseconds. */
const maxLifeMs = 946_080_000_000

/** The maximal lifetime of a template that names none. */
const defaultMaximum = '7776000s'

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

const rule = rulesOf<CertificateTemplateUpdate>()

/** The rules for the members of a new template or of an update that the schema does not have (step 5). */
export const templateForm: readonly FormRule[] = [
  rule(['default_lifetime'], ({ default_lifetime }) => lifeFaults('default_lifetime', default_lifetime)),
  rule(['maximum_lifetime'], ({ maximum_lifetime }) => lifeFaults('maximum_lifetime', maximum_lifetime)),
  ...listMembers.map(member => rule([member], body => nameFaults(member, body[member] ?? []))),
  rule(['extended_key_usages'], ({ extended_key_usages = [] }) =>
    identifierFaults('extended_key_usages', extended_key_usages),
  ),
  rule(['policy_oids'], ({ policy_oids = [] }) => identifierFaults('policy_oids', policy_oids)),
]

/** The rule for a new template, whose lifetimes are all in the body; an update is judged with the stored members. */
export const newTemplateRule: FormRule = rule(['default_lifetime', 'maximum_lifetime'], body =>
  orderFaults({ maximum_lifetime: defaultMaximum, ...body }),
)

function* lifeFaults(field: string, lifetime: string | undefined): Generator<FieldViolation> {
  if (lifetime === undefined) return
  const lifeMs = durationMs(lifetime)
  if (!(lifeMs >= minLifeMs && lifeMs <= maxLifeMs)) yield { field, description: 'must be from 300s to 946080000s' }
}

function* nameFaults(member: (typeof listMembers)[number], texts: readonly string[]): Generator<FieldViolation> {
  const { description, form } = lists[member]
  for (const [i, text] of texts.entries()) if (form(text) === undefined) yield { field: `${member}[${i}]`, description }
}

function* identifierFaults(member: string, ids: readonly string[]): Generator<FieldViolation> {
  const description = 'must be an object identifier with numbers below 2147483648'
  for (const [i, id] of ids.entries())
    if (!id.startsWith('VAULT_') && !isObjectIdentifier(id)) yield { field: `${member}[${i}]`, description }
}

type Lifetimes = Pick<CertificateTemplate, 'default_lifetime' | 'maximum_lifetime'>

function* orderFaults(template: Lifetimes): Generator<FieldViolation> {
  if (durationMs(defaultLifetime(template)) > durationMs(template.maximum_lifetime))
    yield { field: 'default_lifetime', description: 'must not be above maximum_lifetime' }
}

/**
 * Returns the body of a new template or of an update with its names in canonical form. The rules of the form have
 * accepted the names. Throws TEMPLATE_USAGE_NOT_ALLOWED.
 */
export function canonicalTemplate<B extends ParsedCertificateTemplate | CertificateTemplateUpdate>(body: B): B {
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

const defaultLifeMs = 2_592_000_000

/** Returns the default lifetime of a template: the given one, else the smaller of 30 days and the maximum. */
export function defaultLifetime({ default_lifetime, maximum_lifetime }: Lifetimes): string {
  if (default_lifetime !== undefined) return default_lifetime
  return durationMs(maximum_lifetime) < defaultLifeMs ? maximum_lifetime : '2592000s'
}

/** Requires that the default lifetime of a template is not above its maximum. Throws FIELD_INVALID. */
export function requireLifetimes(template: Lifetimes): void {
  const faults = [...orderFaults(template)]
  if (faults.length > 0) throw fieldInvalid(faults)
}
