import { generateKeyPairSync } from 'node:crypto'
import type { Ninefold } from '../../../../output/client.ts'
import type { Random } from '../../../areas/random.ts'
import type { RandomKind } from '../../../areas/random-mutations.ts'
import { engine } from '../tenant-secrets.ts'

/** An authority as the model knows it. */
interface Authority {
  readonly id: string
  readonly name: string
  readonly parent: Authority | undefined
  readonly pathLength: number
  readonly needsTemplate: boolean
  /** The number of revoked certificates and subordinate authorities. */
  revoked: number
  isRevoked: boolean
}

interface Template {
  readonly id: string
  readonly authority: Authority
  host: string
  isGone: boolean
}

interface Certificate {
  readonly id: string
  readonly name: string
  readonly authority: Authority
  isRevoked: boolean
}

/** Random authorities, templates and certificates, whose outcomes and states a model predicts. */
export interface RandomCertificates {
  readonly kinds: readonly RandomKind[]
  /** Returns the differences between the model and the platform. */
  differences(): Promise<readonly string[]>
}

const hosts = ['a.acme.example', 'b.acme.example'] as const
const reasons = ['KEY_COMPROMISE', 'SUPERSEDED', 'UNSPECIFIED'] as const
const reasonOf = (random: Random) => `VAULT_REVOCATION_REASON_${random.oneOf(reasons)}` as const
const lifetimes = ['315360000s', '31536000s', '3153600s'] as const

const public_key_pem = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .publicKey.export({ format: 'pem', type: 'spki' })
  .toString()

/** Makes a call whose outcome the model knows: a reason, or `''` for success. Rethrows an expected refusal. */
async function predicted<R>(what: string, expected: string, call: () => Promise<R>): Promise<R> {
  try {
    const result = await call()
    if (expected !== '') throw new Error(`${what} succeeded, and "${expected}" was expected`)
    return result
  } catch (error) {
    const outcome = error instanceof Error && 'reason' in error ? String(error.reason) : String(error)
    if (outcome === expected) throw error
    throw new Error(`${what} ended with "${outcome}", not "${expected}"`, { cause: error })
  }
}

/** Returns the reason for which an authority issues nothing; empty if it issues. */
function issuingFault({ isRevoked, parent }: Authority): string {
  if (isRevoked) return 'CA_NOT_ENABLED'
  for (let above = parent; above; above = above.parent) if (above.isRevoked) return 'ISSUER_NOT_USABLE'
  return ''
}

/** Returns random authorities, templates and certificates of a workspace. */
export function randomCertificates({ vault }: Ninefold, workspace: string): RandomCertificates {
  const at = { workspace, engine }
  const authorities: Authority[] = []
  const templates: Template[] = []
  const certificates: Certificate[] = []
  let count = 0

  /** Returns an authority that issues, or with a chance of a fifth any authority; makes the first authority. */
  async function anyAuthority(random: Random): Promise<Authority> {
    const usable = authorities.filter(each => issuingFault(each) === '')
    if (usable.length === 0) return newAuthority(random, undefined)
    return random.percent(20) ? random.oneOf(authorities) : random.oneOf(usable.slice(-6))
  }

  async function newAuthority(random: Random, parent: Authority | undefined): Promise<Authority> {
    const depth = parent ? 1 + (parent.parent ? 1 : 0) : 0
    const pathLength = parent ? random.below(2) : 2
    const known = random.percent(5) && !parent ? authorities[0] : undefined
    const name = known?.name ?? `authority-${(count += 1)}`
    const needsTemplate = random.percent(20)
    const body = {
      name,
      type: `VAULT_CERTIFICATE_AUTHORITY_TYPE_${parent ? 'SUBORDINATE' : 'ROOT'}` as const,
      subject: { common_name: `${name} ${count}` },
      lifetime: lifetimes[depth] ?? '2592000s',
      max_path_length: pathLength,
      require_template: needsTemplate,
      ...(parent && { parent_certificate_authority_id: parent.id }),
    }
    const ofParent = parent && (issuingFault(parent) || (pathLength < parent.pathLength ? '' : 'PATH_LENGTH_EXCEEDED'))
    const fault = ofParent ?? (known ? 'CA_ALREADY_EXISTS' : '')
    const { resource_id: id } = await predicted(`the creation of ${name} below ${parent?.name}`, fault, () =>
      vault.createCertificateAuthority({ ...at, body }),
    )
    const made: Authority = { id, name, parent, pathLength, needsTemplate, revoked: 0, isRevoked: false }
    authorities.push(made)
    return made
  }

  async function revokeAuthority(random: Random, authority: Authority): Promise<void> {
    const { id, isRevoked, name, parent } = authority
    await predicted(`the revocation of ${name}`, isRevoked ? 'CA_NOT_ENABLED' : '', () =>
      vault.revokeCertificateAuthority({ ...at, id, body: { reason: reasonOf(random) } }),
    )
    authority.isRevoked = true
    if (parent) parent.revoked += 1
  }

  async function compareList({ id, name, revoked }: Authority): Promise<void> {
    const { revoked_count } = await vault.getCertificateRevocationList({ ...at, id })
    if (revoked_count !== revoked)
      throw new Error(`the list of ${name} has ${revoked_count} entries and not ${revoked}`)
  }

  async function changeTemplate(random: Random, template: Template, isDeletion: boolean): Promise<void> {
    const { authority, id, isGone } = template
    const path = { ...at, certificate_authority: authority.id, id }
    const fault = isGone ? 'TEMPLATE_NOT_FOUND' : ''
    const host = random.oneOf(hosts)
    await predicted(`a change of template ${id}`, fault, () =>
      isDeletion
        ? vault.deleteCertificateTemplate(path)
        : vault.updateCertificateTemplate({
            ...path,
            update_mask: 'allowed_dns_names',
            body: { allowed_dns_names: [host] },
          }),
    )
    if (isDeletion) template.isGone = true
    else template.host = host
  }

  async function issue(random: Random): Promise<Certificate> {
    const authority = await anyAuthority(random)
    const own = templates.filter(each => each.authority === authority)
    const template = own.length > 0 && random.percent(60) ? random.oneOf(own) : undefined
    const known = random.percent(5) ? certificates.find(each => each.authority === authority) : undefined
    const name = known?.name ?? `certificate-${(count += 1)}`
    const host = random.oneOf(hosts)
    const fault =
      issuingFault(authority) ||
      (template === undefined && authority.needsTemplate ? 'TEMPLATE_REQUIRED' : '') ||
      (template?.isGone === true ? 'TEMPLATE_NOT_FOUND' : '') ||
      (template !== undefined && template.host !== host ? 'NAME_NOT_ALLOWED' : '') ||
      (known ? 'CERTIFICATE_ALREADY_EXISTS' : '')
    const config = { subject: { common_name: host }, public_key_pem }
    const certificate_template_id = template?.id ?? ''
    const { resource_id: id } = await predicted(`the issue of ${name} by ${authority.name}`, fault, () =>
      vault.createCertificate({
        ...at,
        certificate_authority: authority.id,
        body: { name, config, certificate_template_id },
      }),
    )
    const made: Certificate = { id, name, authority, isRevoked: false }
    certificates.push(made)
    return made
  }

  async function revoke(random: Random, certificate: Certificate): Promise<void> {
    const { authority, id, isRevoked, name } = certificate
    const path = { ...at, certificate_authority: authority.id, id }
    await predicted(`the revocation of ${name}`, isRevoked ? 'CERTIFICATE_ALREADY_REVOKED' : '', () =>
      vault.revokeCertificate({ ...path, body: { reason: reasonOf(random) } }),
    )
    certificate.isRevoked = true
    authority.revoked += 1
  }

  const kinds: readonly RandomKind[] = [
    {
      name: 'authority',
      weight: 5,
      refusals: ['CA_ALREADY_EXISTS', 'CA_NOT_ENABLED', 'ISSUER_NOT_USABLE', 'PATH_LENGTH_EXCEEDED'],
      async create(random) {
        const authority = await newAuthority(random, random.percent(60) ? await anyAuthority(random) : undefined)
        return {
          update: () => compareList(authority),
          delete: each => revokeAuthority(each, authority),
        }
      },
    },
    {
      name: 'template',
      weight: 5,
      refusals: ['TEMPLATE_NOT_FOUND', 'CA_ALREADY_EXISTS'],
      async create(random) {
        const authority = await anyAuthority(random)
        const host = random.oneOf(hosts)
        const body = { name: `template-${(count += 1)}`, allowed_dns_names: [host] }
        const path = { ...at, certificate_authority: authority.id }
        const { resource_id: id } = await vault.createCertificateTemplate({ ...path, body })
        const template: Template = { id, authority, host, isGone: false }
        templates.push(template)
        return {
          update: each => changeTemplate(each, template, false),
          delete: each => changeTemplate(each, template, true),
        }
      },
    },
    {
      name: 'certificate',
      refusals: [
        'CA_ALREADY_EXISTS',
        'CA_NOT_ENABLED',
        'ISSUER_NOT_USABLE',
        'TEMPLATE_REQUIRED',
        'TEMPLATE_NOT_FOUND',
        'NAME_NOT_ALLOWED',
        'CERTIFICATE_ALREADY_EXISTS',
        'CERTIFICATE_ALREADY_REVOKED',
      ],
      async create(random) {
        const certificate = await issue(random)
        return {
          update: each => (each.percent(30) ? revoke(each, certificate) : compareList(certificate.authority)),
          delete: each => revoke(each, certificate),
        }
      },
    },
  ]

  return {
    kinds,
    async differences() {
      const found: string[] = []
      const compare = (name: string, is: string, expected: string): void => {
        if (is !== expected) found.push(`${name} is ${is} and not ${expected}`)
      }
      const wanted = (isRevoked: boolean, otherwise: string): string => (isRevoked ? 'REVOKED' : otherwise)
      for (const authority of authorities) {
        const { id, isRevoked, name, revoked } = authority
        const { state } = await vault.getCertificateAuthority({ ...at, id })
        const { revoked_count } = await vault.getCertificateRevocationList({ ...at, id })
        const is = `${state.replace(/^.*_STATE_/, '')} with ${revoked_count} entries`
        compare(name, is, `${wanted(isRevoked, 'ENABLED')} with ${revoked} entries`)
        const states = new Map<string, string>()
        for await (const each of vault.iterateCertificates({ ...at, certificate_authority: id, page_size: 100 }))
          states.set(each.id, each.state.replace(/^.*_STATE_/, ''))
        const own = certificates.filter(each => each.authority === authority)
        compare(`the number of certificates of ${name}`, String(states.size), String(own.length))
        for (const each of own) compare(each.name, String(states.get(each.id)), wanted(each.isRevoked, 'ACTIVE'))
        const kept = templates.filter(each => each.authority === authority && !each.isGone).map(each => each.id)
        const listed: string[] = []
        for await (const each of vault.iterateCertificateTemplates({
          ...at,
          certificate_authority: id,
          page_size: 100,
        }))
          listed.push(each.id)
        compare(`the templates of ${name}`, listed.toSorted().join(), kept.toSorted().join())
      }
      return found
    },
  }
}
