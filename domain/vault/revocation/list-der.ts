import { AsnConvert } from '@peculiar/asn1-schema'
import type { SignScheme } from '../keys/schemes.ts'
import { signatureAlgorithm } from '../certificates/x509/signature-algorithms.ts'
import { decimalInteger, extension, header, tag, time, value } from './der.ts'
import { firstElements, readElement } from './der-reader.ts'

/** The members of a revocation list beside its entries. */
export interface ListHead {
  /** The subject of the issuer's certificate in DER. */
  readonly issuer: Uint8Array
  /** The identifier of the issuer's key in hex. */
  readonly keyId: string
  /** The number of the list in decimal digits. */
  readonly number: string
  readonly thisUpdate: number
  readonly nextUpdate: number
  readonly scheme: SignScheme
}

/** The object identifiers 2.5.29.35 (authorityKeyIdentifier) and 2.5.29.20 (cRLNumber). */
const authorityKeyIdOid = Buffer.of(tag.oid, 3, 0x55, 0x1d, 0x23)
const numberOid = Buffer.of(tag.oid, 3, 0x55, 0x1d, 0x14)

/** The version number 2 of revocation lists, which is written as 1. */
const version2 = Buffer.of(tag.integer, 1, 1)

/**
 * Returns the part of a revocation list that is signed (RFC 5280, 5.1.2). `entries` are entries in DER, of which each
 * buffer may hold several. A list without an entry has no sequence of entries.
 */
export function unsignedList(head: ListHead, entries: readonly Uint8Array[]): Buffer {
  const { issuer, keyId, nextUpdate, number, scheme, thisUpdate } = head
  const entryBytes = entries.reduce((sum, { length }) => sum + length, 0)
  const extensions = value(
    tag.sequence,
    extension(authorityKeyIdOid, value(tag.sequence, value(tag.implicit0, Buffer.from(keyId, 'hex')))),
    extension(numberOid, decimalInteger(number)),
  )
  return value(
    tag.sequence,
    version2,
    algorithmOf(scheme),
    issuer,
    time(thisUpdate),
    time(nextUpdate),
    ...(entryBytes === 0 ? [] : [header(tag.sequence, entryBytes), ...entries]),
    value(tag.explicit0, extensions),
  )
}

/** Returns a revocation list in DER, of its signed part and the signature. */
export function signedList(unsigned: Uint8Array, scheme: SignScheme, signature: Uint8Array): Buffer<ArrayBuffer> {
  return value(tag.sequence, unsigned, algorithmOf(scheme), value(tag.bitString, Buffer.of(0), signature))
}

const algorithmOf = (scheme: SignScheme): Buffer => Buffer.from(AsnConvert.serialize(signatureAlgorithm(scheme)))

/**
 * Returns the subject of a certificate in DER exactly as the certificate has it: a relying party compares the issuer of
 * a list with it. Throws `DerFault` if the bytes are no certificate.
 */
export function subjectOf(certificate: Uint8Array): Buffer {
  const [signed] = firstElements(readElement(Buffer.from(certificate)).content, 1)
  const members = signed ? firstElements(signed.content, 6) : []
  // Version 3 stands first; then come the serial number, the algorithm, the issuer, the validity and the subject.
  return Buffer.from(members[5]?.whole ?? [])
}
