import { createHash, randomBytes, type KeyObject } from 'node:crypto'
import { AsnConvert } from '@peculiar/asn1-schema'
import { Extensions, Time, Validity, type Extension } from '@peculiar/asn1-x509'
import type { SignScheme } from '../../keys/schemes.ts'
import { childrenOf, derBitString, derElement, derSequence, elementAt } from './der.ts'
import { signatureAlgorithm } from './signature-algorithms.ts'

/** Signs bytes; an ECDSA signature is in DER. */
export type Sign = (bytes: Uint8Array) => Promise<Uint8Array>

/** The content of a certificate, without its signature. */
export interface CertificateContent {
  /** The serial number, 16 bytes. */
  readonly serial: Buffer
  /** The names of issuer and subject in DER. */
  readonly issuer: Uint8Array
  readonly subject: Uint8Array
  /** The times in milliseconds since 1970, in whole seconds. */
  readonly notBefore: number
  readonly notAfter: number
  /** The public key, SubjectPublicKeyInfo in DER. */
  readonly publicKey: Uint8Array
  readonly extensions: readonly Extension[]
}

/** Returns a new serial number: 16 random bytes, positive and without a leading zero byte (RFC 5280, 4.1.2.2). */
export function newSerial(): Buffer {
  const serial = randomBytes(16)
  serial[0] = 0x40 | ((serial[0] ?? 0) & 0x3f)
  return serial
}

/** Returns a signed certificate of version 3 in DER. `scheme` is the scheme of `sign`. */
export async function signedCertificate(content: CertificateContent, scheme: SignScheme, sign: Sign): Promise<Buffer> {
  const algorithm = bytesOf(signatureAlgorithm(scheme))
  const body = derSequence(
    derElement(0xa0, derElement(0x02, Uint8Array.of(2))),
    derElement(0x02, content.serial),
    algorithm,
    content.issuer,
    bytesOf(validityOf(content)),
    content.subject,
    content.publicKey,
    derElement(0xa3, bytesOf(new Extensions([...content.extensions]))),
  )
  return derSequence(body, algorithm, derBitString(await sign(body)))
}

const validityOf = ({ notAfter, notBefore }: CertificateContent): Validity => {
  const validity = new Validity()
  validity.notBefore = new Time(new Date(notBefore))
  validity.notAfter = new Time(new Date(notAfter))
  return validity
}

/** Returns the DER of a structure. */
export const bytesOf = (value: object): Buffer => Buffer.from(AsnConvert.serialize(value))

/** Returns the public key as SubjectPublicKeyInfo in DER, in the one form that OpenSSL writes. */
export const publicKeyDer = (key: KeyObject): Buffer => key.export({ format: 'der', type: 'spki' })

/** Returns the identifier of a public key: the SHA-1 of its bits (RFC 5280, 4.2.1.2, method 1). */
export function keyIdentifier(publicKey: Buffer): Buffer {
  const bits = childrenOf(elementAt(publicKey, 0)).at(-1)?.content ?? Buffer.alloc(0)
  return createHash('sha1').update(bits.subarray(1)).digest()
}

/** Returns the SHA-256 in hex. */
export const sha256Hex = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
