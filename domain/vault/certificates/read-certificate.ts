import { X509Certificate, type KeyObject } from 'node:crypto'
import { AsnConvert } from '@peculiar/asn1-schema'
import * as asn from '@peculiar/asn1-x509'
import { readNameRules, type NameRules } from './names/name-constraints.ts'
import { keyIdentifier, publicKeyDer, sha256Hex } from './x509/certificate-der.ts'
import { boundedDer, childrenOf } from './x509/der.ts'
import { derOfPem, pemOf } from './x509/pem.ts'

/** The parts of the certificate of an authority that issuing and the check of a chain need. */
export interface ReadCertificate {
  readonly pem: string
  readonly der: Buffer
  /** The certificate as Node.js reads it, for signatures. */
  readonly x509: X509Certificate
  /** The names of issuer and subject in DER. */
  readonly issuer: Buffer
  readonly subject: Buffer
  readonly publicKey: KeyObject
  /** The SHA-256 of the public key in hex. */
  readonly keySha256: string
  /** The identifier of the key: of the extension, else computed. */
  readonly keyId: Buffer
  /** The serial number in hex, in lower case. */
  readonly serial: string
  /** The times in milliseconds since 1970. */
  readonly notBefore: number
  readonly notAfter: number
  /** Whether the certificate is that of an authority that may sign certificates. */
  readonly isAuthority: boolean
  readonly pathLength: number | undefined
  /** The names that the certificate permits below; undefined for rules that the platform cannot check. */
  readonly rules: NameRules | undefined
  /** The critical extensions that clients do not know, so that they refuse the certificate. */
  readonly unknownCritical: readonly string[]
}

/** The extensions of RFC 5280 that may be critical in the certificate of an authority. */
const known: readonly string[] = [
  asn.id_ce_basicConstraints,
  asn.id_ce_keyUsage,
  asn.id_ce_extKeyUsage,
  asn.id_ce_nameConstraints,
  asn.id_ce_subjectAltName,
  asn.id_ce_certificatePolicies,
  asn.id_ce_policyMappings,
  asn.id_ce_policyConstraints,
  asn.id_ce_inhibitAnyPolicy,
  asn.id_ce_cRLDistributionPoints,
]

/** Reads a certificate in PEM; undefined if the text is no certificate of version 3. */
export function readCertificate(text: string): ReadCertificate | undefined {
  const der = derOfPem(text, 'CERTIFICATE')
  if (der === undefined) return undefined
  try {
    return read(der)
  } catch {
    return undefined
  }
}

function read(der: Buffer): ReadCertificate | undefined {
  const [body] = childrenOf(boundedDer(der))
  const [version, serial, , issuer, , subject, key] = body ? childrenOf(body) : []
  if (version?.tag !== 0xa0 || !serial || !issuer || !subject || !key) return undefined
  const x509 = new X509Certificate(der)
  const publicKey = x509.publicKey
  const parsed = AsnConvert.parse(der, asn.Certificate).tbsCertificate
  const value = (id: string): Buffer | undefined => {
    const found = parsed.extensions?.filter(({ extnID }) => extnID === id) ?? []
    if (found.length > 1) throw new Error(`the extension ${id} is there twice`)
    return found[0] && Buffer.from(found[0].extnValue.buffer)
  }
  const constraints = value(asn.id_ce_nameConstraints)
  const keyId = value(asn.id_ce_subjectKeyIdentifier)
  return {
    pem: pemOf('CERTIFICATE', der),
    der,
    x509,
    issuer: issuer.bytes,
    subject: subject.bytes,
    publicKey,
    keySha256: sha256Hex(publicKeyDer(publicKey)),
    keyId: keyId
      ? (childrenOf({ content: keyId })[0]?.content ?? Buffer.alloc(0))
      : keyIdentifier(publicKeyDer(publicKey)),
    serial: serial.content.toString('hex').replace(/^00(?=.)/, ''),
    notBefore: parsed.validity.notBefore.getTime().getTime(),
    notAfter: parsed.validity.notAfter.getTime().getTime(),
    ...authorityOf(value(asn.id_ce_basicConstraints), value(asn.id_ce_keyUsage)),
    unknownCritical: (parsed.extensions ?? [])
      .filter(({ critical, extnID }) => critical && !known.includes(extnID))
      .map(({ extnID }) => extnID),
    rules: constraints ? readNameRules(constraints) : { permitted: [], excluded: [] },
  }
}

function authorityOf(
  basic: Buffer | undefined,
  usage: Buffer | undefined,
): Pick<ReadCertificate, 'isAuthority' | 'pathLength'> {
  const { cA, pathLenConstraint } = basic
    ? AsnConvert.parse(basic, asn.BasicConstraints)
    : { cA: false, pathLenConstraint: undefined }
  const signs = usage !== undefined && AsnConvert.parse(usage, asn.KeyUsage).toJSON().includes('keyCertSign')
  return { isAuthority: cA && signs, pathLength: pathLenConstraint }
}
