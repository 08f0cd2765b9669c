import type { KeyObject } from 'node:crypto'
import type {
  CertificateConfigInput,
  CertificateInput,
  ParsedCertificate,
  ParsedCertificateConfig,
  SubjectAltNames,
} from '../../../output/vault/types.ts'
import type { FieldViolation } from '../../../runtime/errors.ts'
import { rulesOf, type FormRule } from '../../../runtime/form-rules.ts'
import { generateMaterial, type Material } from '../keys/material.ts'
import { schemes } from '../keys/schemes.ts'
import { durationMs } from '../../resources/durations.ts'
import { canonicalNames, malformedNames, maxNames, nameMembers, refuseName } from './names/certified-names.ts'
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
export const isPairMade = ({ config }: Pick<CertificateInput, 'config'>): boolean =>
  config !== undefined && (config.public_key_pem ?? '') === ''

const rule = rulesOf<CertificateInput>()

/** The rules for the members of a new certificate that the schema does not have (step 5). */
export const certificateForm: readonly FormRule[] = [
  rule(['config', 'pem_csr'], sourceFaults),
  rule(['lifetime'], lifeFaults),
  rule(['config', 'private_key_secret_name'], secretFaults),
  rule(['config'], ({ config = {} }) => configFaults(config)),
]

function* sourceFaults({ config, pem_csr }: CertificateInput): Generator<FieldViolation> {
  if ((config === undefined) === (pem_csr === undefined))
    yield { field: 'config', description: 'exactly one of pem_csr and config must be given' }
}

function* lifeFaults({ lifetime }: CertificateInput): Generator<FieldViolation> {
  if (lifetime !== undefined && !(durationMs(lifetime) >= minLifeMs))
    yield { field: 'lifetime', description: 'must be at least 300s' }
}

function* secretFaults(body: CertificateInput): Generator<FieldViolation> {
  if (isPairMade(body) !== (body.private_key_secret_name !== undefined))
    yield {
      field: 'private_key_secret_name',
      description: 'is required where the platform makes the key pair, and refused elsewhere',
    }
}

function* configFaults(config: CertificateConfigInput): Generator<FieldViolation> {
  const { key_algorithm, public_key_pem = '', subject_alt_names = {} } = config
  const field = 'config.key_algorithm'
  if (key_algorithm !== undefined && public_key_pem !== '')
    yield { field, description: 'cannot be given together with public_key_pem' }
  else if (key_algorithm !== undefined && !algorithms.some(each => each === key_algorithm))
    yield { field, description: `must be one of ${algorithms.join(', ')}` }
  if (public_key_pem !== '' && keyOf(public_key_pem) === undefined)
    yield { field: 'config.public_key_pem', description: 'must be one SubjectPublicKeyInfo in PEM' }
  for (const name of malformedNames(subject_alt_names))
    yield { field: `config.subject_alt_names.${name}`, description: 'is no name of its kind' }
}

/**
 * Returns the certificate that a body asks for, and makes its key pair if the body has none. The rules of the form have
 * accepted the body. Throws CSR_INVALID, WEAK_KEY or NAME_NOT_ALLOWED.
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
  const names = canonicalNames(config.subject_alt_names ?? emptyNames, () => {
    throw new Error('the rules of the form have accepted a malformed name')
  })
  const rest = { names, others: [], subject: { ...emptySubject, ...config.subject }, field: 'config' } as const
  if (config.public_key_pem !== '') return { ...rest, certified: givenKey(config.public_key_pem), material: undefined }
  const material = await generateMaterial(schemes[config.key_algorithm ?? algorithms[0]])
  if (material.publicKey === undefined) throw new Error('the key of a certificate is no pair')
  return { ...rest, certified: requireStrongKey(material.publicKey, 'config'), material }
}

function givenKey(pem: string): CertifiedKey {
  const key = keyOf(pem)
  if (key === undefined) throw new Error('the rules of the form have accepted a malformed public key')
  return requireStrongKey(key, 'config.public_key_pem')
}

function keyOf(pem: string): KeyObject | undefined {
  const der = derOfPem(pem, 'PUBLIC KEY')
  return der && readPublicKey(der)
}
