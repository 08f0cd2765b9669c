import { createHash, randomBytes, sign, type KeyObject } from 'node:crypto'
import { AsnConvert, OctetString } from '@peculiar/asn1-schema'
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  BasicConstraints,
  Certificate,
  Extension,
  Extensions,
  KeyUsage,
  KeyUsageFlags,
  Name,
  RelativeDistinguishedName,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from '@peculiar/asn1-x509'

const ecdsaWithSha256 = '1.2.840.10045.4.3.2'
const commonName = '2.5.4.3'
const basicConstraints = '2.5.29.19'
const keyUsage = '2.5.29.15'

/** The name of the holder of the key. */
const holder = 'ninefold registry tokens'

/** The validity of a certificate, in milliseconds: verifiers are configured with it, so it outlives its key. */
const validityMs = 20 * 365 * 86_400_000

/**
 * Returns a certificate in DER for a key pair of P-256 that signs tokens, signed by the key itself: registries that
 * verify tokens trust a certificate, which each token has in its header `x5c`. `now` is in milliseconds since 1970.
 */
export function keyCertificate(privateKey: KeyObject, publicKey: KeyObject, now: number): Buffer {
  const info = AsnConvert.parse(publicKey.export({ format: 'der', type: 'spki' }), SubjectPublicKeyInfo)
  const algorithm = new AlgorithmIdentifier({ algorithm: ecdsaWithSha256 })
  const body = new TBSCertificate({
    version: Version.v3,
    serialNumber: serialNumber(),
    signature: algorithm,
    issuer: nameOf(holder),
    subject: nameOf(holder),
    validity: new Validity({ notBefore: wholeSecond(now - 60_000), notAfter: wholeSecond(now + validityMs) }),
    subjectPublicKeyInfo: info,
    extensions: new Extensions([
      extension(basicConstraints, new BasicConstraints({ cA: true })),
      extension(keyUsage, new KeyUsage(KeyUsageFlags.digitalSignature | KeyUsageFlags.keyCertSign)),
    ]),
  })
  const signature = sign('sha256', new Uint8Array(AsnConvert.serialize(body)), privateKey)
  const certificate = new Certificate({
    tbsCertificate: body,
    signatureAlgorithm: algorithm,
    signatureValue: Uint8Array.from(signature).buffer,
  })
  return Buffer.from(AsnConvert.serialize(certificate))
}

/** Returns the id of the key of a certificate, for the header `kid`. */
export const keyId = (certificate: Buffer): string =>
  createHash('sha256').update(certificate).digest('base64url').slice(0, 22)

const wholeSecond = (ms: number): Date => new Date(Math.floor(ms / 1000) * 1000)

/** Returns a positive number of 16 bytes without a leading zero byte (RFC 5280, 4.1.2.2). */
function serialNumber(): ArrayBuffer {
  const bytes = new Uint8Array(randomBytes(16))
  bytes[0] = 0x40 | ((bytes[0] ?? 0) & 0x3f)
  return bytes.buffer
}

const nameOf = (text: string): Name =>
  new Name([
    new RelativeDistinguishedName([
      new AttributeTypeAndValue({ type: commonName, value: new AttributeValue({ utf8String: text }) }),
    ]),
  ])

const extension = (extnID: string, value: object): Extension =>
  new Extension({ extnID, critical: true, extnValue: new OctetString(AsnConvert.serialize(value)) })
