import type { CertificateTemplate, KeyUsageInput } from '../../../output/vault/types.ts'
import { fieldInvalid } from '../../../runtime/refusal.ts'
import { validityOf } from './authority-certificate.ts'
import type { Issuer } from './issuer.ts'
import { listedNames, type NamesToCertify } from './names/certified-names.ts'
import type { CertifiedKey } from './x509/certified-key.ts'
import { keyIdentifier, newSerial, type CertificateContent } from './x509/certificate-der.ts'
import {
  authorityKeyIdentifier,
  basicConstraints,
  distributionPoints,
  extendedKeyUsage,
  issuerAddresses,
  keyUsage,
  policies,
  subjectAltNames,
  subjectKeyIdentifier,
} from './x509/extensions.ts'
import { isNamed, nameDer } from './x509/subject.ts'

/** The parts of the certificate of a leaf; the names are allowed already. */
export interface Leaf {
  readonly issuer: Issuer
  readonly names: NamesToCertify
  readonly certified: CertifiedKey
  readonly usages: { readonly key: readonly KeyUsageInput[]; readonly extended: readonly string[] }
  readonly lifetime: string
  readonly template: CertificateTemplate | undefined
  readonly now: number
  /** The field of the body that faults of the names refer to. */
  readonly field: string
}

/** Returns the content of a leaf certificate. Throws FIELD_INVALID for a certificate that would name nobody. */
export function leafContent(leaf: Leaf): CertificateContent {
  const { authority, chain } = leaf.issuer
  const [above] = chain
  if (above === undefined) throw new Error(`certificate authority ${authority.id} has no certificate`)
  const { names, subject } = leaf.names
  const hasNames = listedNames(names).length > 0
  if (!hasNames && !isNamed(subject)) {
    const description = 'names nobody; a certificate needs an alternative name or a subject'
    throw fieldInvalid([{ field: leaf.field, description }])
  }
  return {
    serial: newSerial(),
    issuer: above.subject,
    subject: nameDer(subject),
    ...validityOf(leaf.lifetime, leaf.now),
    publicKey: leaf.certified.der,
    extensions: [
      basicConstraints(),
      keyUsage(leaf.usages.key),
      extendedKeyUsage(leaf.usages.extended),
      subjectKeyIdentifier(keyIdentifier(leaf.certified.der)),
      authorityKeyIdentifier(above.keyId),
      ...(hasNames ? [subjectAltNames(names, !isNamed(subject))] : []),
      ...policies(leaf.template?.policy_oids ?? []),
      ...distributionPoints(authority.crl_urls ?? []),
      ...issuerAddresses(authority.issuing_certificate_urls),
    ],
  }
}
