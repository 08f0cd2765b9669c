import type { CertificateTemplate, ParsedCreateCertificateRequest } from '../../../output/vault/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Standard } from '../../resources/mutation-rules.ts'
import { readSigned } from './authority-certificate.ts'
import { certificateState, type StoredCertificate } from './certificates-store.ts'
import type { Issuer } from './issuer.ts'
import type { NamesToCertify } from './names/certified-names.ts'
import type { RequestedCertificate } from './requested-certificate.ts'
import { sha256Hex } from './x509/certificate-der.ts'
import { pemOf } from './x509/pem.ts'

/** The parts of the row of a new certificate. */
export interface Issued {
  readonly call: ParsedCreateCertificateRequest
  readonly context: CallContext
  /** The signed certificate. */
  readonly der: Buffer
  readonly issuer: Issuer
  readonly lifetime: string
  readonly names: NamesToCertify
  readonly requested: RequestedCertificate
  /** The id of the secret with the private key; empty for the key of a caller. */
  readonly secretId: string
  readonly template: CertificateTemplate | undefined
}

/** Returns the row of a new certificate; its columns are read from the signed certificate. */
export function newCertificate(issued: Issued, standard: Standard): StoredCertificate {
  const { call, context, der, issuer, lifetime, names, requested, secretId, template } = issued
  const { certificate_template_id, description, display_name, labels, name } = call.body
  const read = readSigned(pemOf('CERTIFICATE', der))
  const { algorithm } = requested.certified
  return {
    ...standard,
    certificate_authority_id: issuer.authority.id,
    name: name === '' ? `certificate-${standard.id}` : name,
    display_name,
    description,
    labels,
    private_key_secret_id: secretId,
    lifetime,
    certificate_template_id,
    state: certificateState('ACTIVE'),
    serial_number: read.serial,
    pem_certificate: read.pem,
    pem_certificate_chain: issuer.chain.map(({ pem }) => pem),
    subject: names.subject,
    subject_alt_names: names.names,
    common_name: names.subject.common_name,
    dns_names: names.names.dns_names,
    ...(algorithm !== undefined && { key_algorithm: algorithm }),
    fingerprint_sha256: sha256Hex(der),
    subject_key_id: read.keyId.toString('hex'),
    authority_key_id: issuer.chain[0]?.keyId.toString('hex') ?? '',
    not_before_time: formatMillis(read.notBefore),
    not_after_time: formatMillis(read.notAfter),
    requested_by: context.principal?.id ?? '',
    template_copy: template === undefined ? '' : Buffer.from(JSON.stringify(template)).toString('base64'),
  }
}

const dayMs = 86_400_000

/** The times before the end of a certificate at which its end is announced, in days. */
const noticeDays = [30, 7, 1]

/**
 * Returns the time of the next work for a certificate after `now`: 30, 7 or 1 days before its end, or its end. A notice
 * that would be due at the issue is left out.
 */
export function nextNotice({ not_after_time }: Pick<StoredCertificate, 'not_after_time'>, now: number): string {
  const end = Date.parse(not_after_time)
  const notice = noticeDays.map(days => end - days * dayMs).find(time => time > now + 1000)
  return formatMillis(notice ?? end)
}
