import { AlgorithmIdentifier } from '@peculiar/asn1-x509'
import type { SignScheme } from '../../keys/schemes.ts'

const nullParameters = Uint8Array.of(0x05, 0x00).buffer

/**
 * The parameters of RSASSA-PSS with SHA-256, MGF1 with SHA-256 and a salt of 32 bytes in DER (RFC 4055, 3.1). The hash
 * algorithms have NULL parameters, and the trailer field has its default.
 */
const pssParameters = Uint8Array.from(
  Buffer.from(
    '3034a00f300d06096086480165030402010500a11c301a06092a864886f70d010108300d06096086480165030402010500a203020120',
    'hex',
  ),
).buffer

const rsaAlgorithms = {
  sha256: '1.2.840.113549.1.1.11',
  sha384: '1.2.840.113549.1.1.12',
  sha512: '1.2.840.113549.1.1.13',
} as const

/** Returns the identifier of a scheme in certificates, requests and revocation lists (RFC 5280, 4.1.1.2). */
export function signatureAlgorithm(scheme: SignScheme): AlgorithmIdentifier {
  if (scheme.kind === 'ed25519') return new AlgorithmIdentifier({ algorithm: '1.3.101.112' })
  if (scheme.kind === 'rsa-pss')
    return new AlgorithmIdentifier({ algorithm: '1.2.840.113549.1.1.10', parameters: pssParameters })
  if (scheme.kind === 'rsa-pkcs1')
    return new AlgorithmIdentifier({ algorithm: rsaAlgorithms[scheme.hash], parameters: nullParameters })
  const algorithm = scheme.hash === 'sha256' ? '1.2.840.10045.4.3.2' : '1.2.840.10045.4.3.3'
  return new AlgorithmIdentifier({ algorithm })
}
