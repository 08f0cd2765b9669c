import type { ParsedCertificate, ParsedCertificateConfig, SubjectAltNames } from '../../../output/vault/types.ts'
import type { FieldViolation } from '../../../runtime/errors.ts'
import { fieldInvalid } from '../../../runtime/refusal.ts'
import { generateMaterial, type Material } from '../keys/material.ts'
import { schemes } from '../keys/schemes.ts'
import { durationMs } from '../values/durations.ts'
import { canonicalNames, maxNames, nameMembers, refuseName } from './names/certified-names.ts'
import { minLifeMs } from './template-form.ts'
import { readPublicKey, requireStrongKey, type CertifiedKey } from './x509/certified-key.ts'
import { derOfPem } from './x509/pem.ts'
import { readSigningRequest } from './x509/signing-request.ts'
import { emptySubject, type RequestedSubject } from './x509/subject.ts'

/** A certificate that a caller asks for, with its names in canonical form. */
export interface RequestedCertificate extends RequestedSubject {
  readonly names: SubjectAltNames
  readonly certified: CertifiedKey
  /** The pair that the platform has made; undefined for the key of a caller. */
  readonly material: Material | undefined
  /** The field that errors about the names and the key refer to. */
  readonly field: 'pem_csr' | 'config'
}

const emptyNames: SubjectAltNames = { dns_names: [], ip_addresses: [], uris: [], email_addresses: [] }

const algorithms = [
  'VAULT_CRYPTO_KEY_ALGORITHM_EC_P256_SHA256',
  'VAULT_CRYPTO_KEY_ALGORITHM_EC_P384_SHA384',
  'VAULT_CRYPTO_KEY_ALGORITHM_ED25519',
] as const

/** Whether the platform makes the key pair of a certificate. */
export const isPairMade = ({ config }: ParsedCertificate): boolean =>
  config !== undefined && config.public_key_pem === ''

/**
 * Checks the members of a new certificate whose rules the schema does not have (step 5). Throws FIELD_INVALID with all
 * faults.
 */
export function requireCertificateForm(body: ParsedCertificate): void {
  const faults = [...formFaults(body), ...(body.config ? configFaults(body.config) : [])]
  if (faults.length > 0) throw fieldInvalid(faults)
}

function* formFaults(body: ParsedCertificate): Generator<FieldViolation> {
  const { config, lifetime, pem_csr, private_key_secret_name } = body
  if ((config === undefined) === (pem_csr === undefined))
    yield { field: 'config', description: 'exactly one of pem_csr and config must be given' }
  if (lifetime !== undefined && !(durationMs(lifetime) >= minLifeMs))
    yield { field: 'lifetime', description: 'must be at least 300s' }
  if (isPairMade(body) !== (private_key_secret_name !== undefined))
    yield {
      field: 'private_key_secret_name',
      description: 'is required where the platform makes the key pair, and refused elsewhere',
    }
}

function* configFaults({ key_algorithm, public_key_pem }: ParsedCertificateConfig): Generator<FieldViolation> {
  const field = 'config.key_algorithm'
  if (key_algorithm === undefined) return
  if (public_key_pem !== '') yield { field, description: 'cannot be given together with public_key_pem' }
  if (!algorithms.some(each => each === key_algorithm))
    yield { field, description: `must be one of ${algorithms.join(', ')}` }
}

/**
 * Returns the certificate that a body asks for, and makes its key pair if the body has none. Throws FIELD_INVALID,
 * CSR_INVALID, WEAK_KEY or NAME_NOT_ALLOWED.
 */
export async function requestedCertificate({ config, pem_csr }: ParsedCertificate): Promise<RequestedCertificate> {
  if (config !== undefined) return configured(config)
  const { certified, names, otherNames, others, subject } = readSigningRequest(pem_csr ?? '', 'pem_csr')
  const [other] = otherNames
  if (other !== undefined) refuseName(other, 'pem_csr', 'the platform certifies no such kind of name')
  const many = nameMembers.find(member => names[member].length > maxNames)
  if (many) refuseName(names[many][maxNames] ?? '', 'pem_csr', `a certificate has at most ${maxNames} names of a kind`)
  const canonical = canonicalNames(names, text => refuseName(text, 'pem_csr', 'it is no name of its kind'))
  return { certified, names: canonical, others, subject, material: undefined, field: 'pem_csr' }
}

async function configured(config: ParsedCertificateConfig): Promise<RequestedCertificate> {
  const names = canonicalNames(config.subject_alt_names ?? emptyNames, (_text, member, i) => {
    throw fieldInvalid([{ field: `config.subject_alt_names.${member}[${i}]`, description: 'is no name of its kind' }])
  })
  const rest = { names, others: [], subject: { ...emptySubject, ...config.subject }, field: 'config' } as const
  if (config.public_key_pem !== '') return { ...rest, certified: givenKey(config.public_key_pem), material: undefined }
  const material = await generateMaterial(schemes[config.key_algorithm ?? algorithms[0]])
  if (material.publicKey === undefined) throw new Error('the key of a certificate is no pair')
  return { ...rest, certified: requireStrongKey(material.publicKey, 'config'), material }
}

function givenKey(pem: string): CertifiedKey {
  const field = 'config.public_key_pem'
  const der = derOfPem(pem, 'PUBLIC KEY')
  const key = der && readPublicKey(der)
  if (key === undefined) throw fieldInvalid([{ field, description: 'must be one SubjectPublicKeyInfo in PEM' }])
  return requireStrongKey(key, field)
}
