import { formatMillis } from '../../../runtime/timestamps.ts'
import { lifetimeExceedsIssuer, pathLengthExceeded } from '../../../output/vault/errors.ts'
import { faultAt } from '../../../runtime/errors.ts'
import { durationMs } from '../../resources/durations.ts'
import type { KeyObject } from 'node:crypto'
import { authorityState, type StoredAuthority } from './authorities-store.ts'
import { endOfChain, type Issuer } from './issuer.ts'
import { keyIdentifier, newSerial, publicKeyDer, sha256Hex, type CertificateContent } from './x509/certificate-der.ts'
import {
  authorityKeyIdentifier,
  basicConstraints,
  distributionPoints,
  issuerAddresses,
  keyUsage,
  nameConstraints,
  subjectKeyIdentifier,
} from './x509/extensions.ts'
import { readCertificate, type ReadCertificate } from './read-certificate.ts'
import { emptySubject, nameDer } from './x509/subject.ts'

/** The time before the issue from which certificates hold, for clocks that are late, in milliseconds. */
const backdatedMs = 60_000

/** Returns the times of a certificate in whole seconds, in milliseconds since 1970. */
export function validityOf(lifetime: string, now: number): { readonly notBefore: number; readonly notAfter: number } {
  const second = Math.floor(now / 1000) * 1000
  return { notBefore: second - backdatedMs, notAfter: second + Math.floor(durationMs(lifetime) / 1000) * 1000 }
}

/** Throws LIFETIME_EXCEEDS_ISSUER at the field if a certificate would end after a certificate of the chain. */
export function requireWithin(issuer: Issuer, notAfter: number): void {
  const end = endOfChain(issuer)
  if (notAfter <= end) return
  const message = `the certificate would hold longer than its issuer, until after ${formatMillis(end)}; choose a shorter one`
  throw faultAt(lifetimeExceedsIssuer, 'lifetime', message)
}

/** Throws PATH_LENGTH_EXCEEDED unless an authority with this path length may follow below another. */
export function requirePathLength({ id, max_path_length = 0 }: StoredAuthority, below: number): void {
  if (below < max_path_length) return
  throw pathLengthExceeded(
    `certificate authority ${id} has the path length ${max_path_length}; an authority below it needs a smaller one`,
    {
      resource: { type: 'vault.certificateAuthorities', name: id },
      precondition: [
        { type: 'PATH_LENGTH', subject: id, description: `max_path_length must be below ${max_path_length}` },
      ],
    },
  )
}

/** Returns the content of the certificate of an authority; a root has no `issuer`. */
export function authorityContent(
  authority: StoredAuthority,
  publicKey: KeyObject,
  { issuer, now }: { readonly issuer: Issuer | undefined; readonly now: number },
): CertificateContent {
  const key = publicKeyDer(publicKey)
  const subject = subjectDer(authority)
  const above = issuer?.chain[0]
  return {
    serial: newSerial(),
    issuer: above?.subject ?? subject,
    subject,
    ...validityOf(authority.lifetime ?? '', now),
    publicKey: key,
    extensions: [
      basicConstraints(authority.max_path_length ?? 0),
      keyUsage(['VAULT_KEY_USAGE_CERT_SIGN', 'VAULT_KEY_USAGE_CRL_SIGN']),
      subjectKeyIdentifier(keyIdentifier(key)),
      ...(above ? [authorityKeyIdentifier(above.keyId)] : []),
      ...nameConstraints(authority.name_constraints),
      ...distributionPoints(issuer?.authority.crl_urls ?? []),
      ...issuerAddresses(issuer?.authority.issuing_certificate_urls ?? []),
    ],
  }
}

/** Returns the subject of an authority as a name in DER. */
export const subjectDer = ({ subject }: Pick<StoredAuthority, 'subject'>): Buffer =>
  nameDer({ ...emptySubject, ...subject })

/** The members of an authority that follow from its certificate. */
export type CertifiedMembers = Pick<
  StoredAuthority,
  | 'state'
  | 'pem_csr'
  | 'pem_certificate'
  | 'pem_certificate_chain'
  | 'serial_number'
  | 'fingerprint_sha256'
  | 'subject_key_id'
  | 'not_before_time'
  | 'not_after_time'
>

/** Returns the members of an ENABLED authority; `chain` are its certificate and those above, the root last. */
export function certifiedMembers([own, ...above]: readonly [ReadCertificate, ...ReadCertificate[]]): CertifiedMembers {
  return {
    state: authorityState('ENABLED'),
    pem_csr: '',
    pem_certificate: own.pem,
    pem_certificate_chain: [own, ...above].map(({ pem }) => pem),
    serial_number: own.serial,
    fingerprint_sha256: sha256Hex(own.der),
    subject_key_id: own.keyId.toString('hex'),
    not_before_time: formatMillis(own.notBefore),
    not_after_time: formatMillis(own.notAfter),
  }
}

/** Reads a certificate that the platform has signed. */
export function readSigned(pem: string): ReadCertificate {
  const read = readCertificate(pem)
  if (read === undefined) throw new Error('a certificate that was signed cannot be read')
  return read
}
