import { AsnConvert } from '@peculiar/asn1-schema'
import { CertificationRequest } from '@peculiar/asn1-csr'
import { Extensions, SubjectAlternativeName, id_ce_subjectAltName, type GeneralName } from '@peculiar/asn1-x509'
import { csrInvalid } from '../../../../output/vault/errors.ts'
import type { SubjectAltNames } from '../../../../output/vault/types.ts'
import { faultAt } from '../../../../runtime/errors.ts'
import { bytesOf, publicKeyDer, type Sign } from './certificate-der.ts'
import { readPublicKey, requireStrongKey, type CertifiedKey } from './certified-key.ts'
import { boundedDer, childrenOf, derBitString, derElement, derSequence, type Element } from './der.ts'
import { derOfPem, pemOf } from './pem.ts'
import { signatureAlgorithm } from './signature-algorithms.ts'
import { fitsRequestSignature } from './request-signature.ts'
import { subjectOf, type RequestedSubject } from './subject.ts'
import type { SignScheme } from '../../keys/schemes.ts'
import type { KeyObject } from 'node:crypto'
import type { Extension } from '@peculiar/asn1-x509'

/** The largest signing request, in bytes. */
const maxBytes = 49_152

/** The maximal number of alternative names of a request. */
const maxNames = 400

const extensionRequest = '1.2.840.113549.1.9.14'

/** The content of a signing request, of which only the key, the subject and the alternative names are taken. */
export interface SigningRequest extends RequestedSubject {
  readonly certified: CertifiedKey
  readonly names: SubjectAltNames
  /** The kinds of alternative names that the platform does not certify: `directoryName`. */
  readonly otherNames: readonly string[]
}

/**
 * Reads a signing request from a caller, PKCS#10 in PEM, and verifies that its sender holds the private key. Throws
 * CSR_INVALID or WEAK_KEY at the field.
 */
export function readSigningRequest(pem: string, field: string): SigningRequest {
  const der = derOfPem(pem, 'CERTIFICATE REQUEST', 'NEW CERTIFICATE REQUEST')
  if (der === undefined || der.length > maxBytes) throw invalid(field, 'it is no single PKCS#10 request in PEM')
  const { key, root } = parsed(() => framed(der), field)
  const certified = requireStrongKey(key, field)
  if (!parsed(() => fitsRequestSignature(root, key), field))
    throw invalid(field, 'its signature does not verify, or is made by an algorithm that is not accepted')
  return { certified, ...parsed(() => contentOf(der), field) }
}

/** Returns the frame of a request and its public key. */
function framed(der: Buffer): { readonly root: readonly Element[]; readonly key: KeyObject } {
  const root = childrenOf(boundedDer(der))
  const [info] = root
  const spki = info && childrenOf(info)[2]
  const key = spki && readPublicKey(spki.bytes)
  if (root.length !== 3 || key === undefined) throw new Error('the request has no public key that can be read')
  return { root, key }
}

function contentOf(der: Buffer): Omit<SigningRequest, 'certified'> {
  const info = AsnConvert.parse(der, CertificationRequest).certificationRequestInfo
  const requested = subjectOf(info.subject)
  if (info.version !== 0 || requested === undefined) throw new Error('the version or the subject cannot be read')
  const wanted = [...(info.attributes ?? [])].filter(({ type }) => type === extensionRequest)
  const values = wanted.flatMap(attribute => attribute.values)
  if (values.length > 1) throw new Error('the request has the attribute extensionRequest twice')
  const extensions = values.flatMap(value => [...AsnConvert.parse(value, Extensions)])
  const alternatives = extensions.filter(({ extnID }) => extnID === id_ce_subjectAltName)
  if (alternatives.length > 1) throw new Error('the request has alternative names twice')
  const names = alternatives.flatMap(({ extnValue }) => [...AsnConvert.parse(extnValue.buffer, SubjectAlternativeName)])
  if (names.length > maxNames) throw new Error('the request has too many alternative names')
  return { ...requested, ...sorted(names) }
}

/** Returns the alternative names by their kinds, as they are written in the request. */
function sorted(names: readonly GeneralName[]): Pick<SigningRequest, 'names' | 'otherNames'> {
  const texts = (pick: (name: GeneralName) => string | undefined): string[] => names.flatMap(name => pick(name) ?? [])
  return {
    names: {
      dns_names: texts(name => name.dNSName),
      ip_addresses: texts(name => name.iPAddress),
      uris: texts(name => name.uniformResourceIdentifier),
      email_addresses: texts(name => name.rfc822Name),
    },
    otherNames: names.flatMap(name => unsupportedKind(name) ?? []),
  }
}

/** Returns the kind of a name that the platform does not certify; undefined for the other names. */
function unsupportedKind(name: GeneralName): string | undefined {
  const { dNSName, iPAddress, rfc822Name, uniformResourceIdentifier } = name
  if ([dNSName, iPAddress, rfc822Name, uniformResourceIdentifier].some(text => text !== undefined)) return undefined
  return Object.entries(name).find(([, value]) => value !== undefined)?.[0] ?? 'unknown kind'
}

/** Runs a parser on bytes of a caller: every fault of the bytes is CSR_INVALID. */
function parsed<R>(read: () => R, field: string): R {
  try {
    return read()
  } catch {
    throw invalid(field, 'it cannot be parsed as PKCS#10 in DER')
  }
}

const invalid = (field: string, reason: string) =>
  faultAt(csrInvalid, field, `the signing request is not accepted: ${reason}`)

/** Returns a signing request in PEM. `subject` is a name in DER; `scheme` is the scheme of `sign`. */
export async function signedRequest(
  content: { readonly subject: Uint8Array; readonly publicKey: KeyObject; readonly extensions: readonly Extension[] },
  scheme: SignScheme,
  sign: Sign,
): Promise<string> {
  const wanted = derSequence(
    Buffer.from('06092a864886f70d01090e', 'hex'),
    derElement(0x31, bytesOf(new Extensions([...content.extensions]))),
  )
  const info = derSequence(
    derElement(0x02, Uint8Array.of(0)),
    content.subject,
    publicKeyDer(content.publicKey),
    derElement(0xa0, wanted),
  )
  const signature = derBitString(await sign(info))
  return pemOf('CERTIFICATE REQUEST', derSequence(info, bytesOf(signatureAlgorithm(scheme)), signature))
}
