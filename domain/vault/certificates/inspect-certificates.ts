import type { KeyObject } from 'node:crypto'
import type { Finding } from '../../ports/inspection.ts'
import type { Reader } from '../../ports/store.ts'
import { keyVersionCollection, materialCollection } from '../keys/key-versions-store.ts'
import { agenda } from '../work/agenda.ts'
import { authorityCollection, authorityState, type StoredAuthority } from './authorities-store.ts'
import { certificateCollection, certificateState, type StoredCertificate } from './certificates-store.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { inspectLive } from './live-certificates.ts'
import { templateCollection } from './templates-store.ts'
import { sha256Hex } from './x509/certificate-der.ts'
import { readCertificate, type ReadCertificate } from './read-certificate.ts'

type Findings = AsyncGenerator<Finding, void, undefined>

/** The states of authorities that have no certificate yet, or never got one. */
const bare: readonly string[] = [
  authorityState('CREATING'),
  authorityState('AWAITING_ACTIVATION'),
  authorityState('FAILED'),
]

/** Checks authorities, templates and certificates: their keys, their certificates, their parents and their due work. */
export async function* inspectCertificates(reader: Reader): Findings {
  for await (const { value } of reader.each(authorityCollection)) yield* inspectAuthority(reader, value)
  for await (const { id, value } of reader.each(templateCollection))
    if (!(await reader.exists(authorityCollection, { id: value.certificate_authority_id })))
      yield orphan('vault.certificateTemplates', id)
  const issuers = new Map<string, KeyObject | undefined>()
  for await (const { value } of reader.each(certificateCollection)) yield* inspectCertificate(reader, value, issuers)
  yield* inspectLive(reader)
}

const orphan = (resourceType: string, id: string): Finding => ({
  resourceType,
  id,
  message: 'belongs to no certificate authority; restore it from a backup',
})

async function* inspectAuthority(reader: Reader, authority: StoredAuthority): Findings {
  const { crypto_key_id, id, key_row_id, parent_certificate_authority_id: parent, pem_certificate, state } = authority
  const finding = (message: string): Finding => ({ resourceType: 'vault.certificateAuthorities', id, message })
  const isMade = state !== authorityState('CREATING') && state !== authorityState('FAILED')
  if (crypto_key_id === '' && (await reader.exists(materialCollection, { id: key_row_id })) !== isMade)
    yield finding(`is ${state} ${isMade ? 'without' : 'with'} a key`)
  if (crypto_key_id !== '' && !(await reader.exists(keyVersionCollection, { row_id: key_row_id })))
    yield finding(`signs with version ${key_row_id}, which does not exist; restore it from a backup`)
  if (parent !== '' && !(await reader.exists(authorityCollection, { id: parent })))
    yield finding(`has the parent ${parent}, which does not exist; restore it from a backup`)
  const isBare = bare.includes(state) || (state === authorityState('REVOKED') && pem_certificate === '')
  if (isBare !== (pem_certificate === '')) yield finding(`is ${state} ${isBare ? 'with' : 'without'} a certificate`)
  const isDue = await reader.exists(agenda, { id: `certificateAuthorities.expire/${id}` })
  if (state === authorityState('ENABLED') && !isDue) yield finding('is ENABLED, and no work is due at its end')
  if (pem_certificate === '') return
  const read = readCertificate(pem_certificate)
  yield* columnFaults(authority, read, finding)
  const [own, above] = authority.pem_certificate_chain
  if (own !== pem_certificate) yield finding('has a chain that does not begin with its certificate')
  else if (!isSignedBy(read, publicKeyIn(above ?? own)))
    yield finding('has a certificate that the next of its chain has not signed')
}

/** Checks a certificate. `issuers` keeps the public keys of authorities by their ids. */
async function* inspectCertificate(
  reader: Reader,
  certificate: StoredCertificate,
  issuers: Map<string, KeyObject | undefined>,
): Findings {
  const { certificate_authority_id, id, state } = certificate
  const finding = (message: string): Finding => ({ resourceType: 'vault.certificates', id, message })
  const authority = (await reader.get(authorityCollection, certificate_authority_id))?.value
  if (!authority) yield orphan('vault.certificates', id)
  const isDue = await reader.exists(agenda, { id: `certificates.end/${id}` })
  if (state === certificateState('ACTIVE') && !isDue) yield finding('is ACTIVE, and no work is due at its end')
  if ((state === certificateState('REVOKED')) !== (certificate.revocation !== undefined))
    yield finding(`is ${state} with another revocation`)
  if (authority && certificate.authority_key_id !== authority.subject_key_id)
    yield finding('names another key of its issuer than the authority has')
  const read = readCertificate(certificate.pem_certificate)
  yield* columnFaults(certificate, read, finding)
  if (!authority) return
  const issuer = issuers.get(authority.id) ?? publicKeyIn(authority.pem_certificate)
  issuers.set(authority.id, issuer)
  if (!isSignedBy(read, issuer)) yield finding('is not signed by its certificate authority')
}

/** Returns the public key of a certificate in PEM; undefined if the certificate cannot be read. */
const publicKeyIn = (pem: string): KeyObject | undefined => readCertificate(pem)?.publicKey

/** Whether a key has signed a certificate. An unreadable certificate has a finding of its own. */
const isSignedBy = (read: ReadCertificate | undefined, issuer: KeyObject | undefined): boolean =>
  read === undefined || (issuer !== undefined && read.x509.verify(issuer))

/** The columns that the certificate in PEM repeats. */
type Columns = Pick<
  StoredAuthority,
  'serial_number' | 'fingerprint_sha256' | 'subject_key_id' | 'not_before_time' | 'not_after_time'
>

/** Checks that the columns of a row are those of its certificate. */
function* columnFaults(
  row: Columns,
  read: ReadCertificate | undefined,
  finding: (message: string) => Finding,
): Generator<Finding> {
  if (read === undefined) {
    yield finding('has a certificate that cannot be read; restore it from a backup')
    return
  }
  for (const [column, value] of Object.entries(columnsOf(read)))
    if (Reflect.get(row, column) !== value)
      yield finding(`has ${column} ${String(Reflect.get(row, column))}, and its certificate has ${value}`)
}

const columnsOf = (read: ReadCertificate) => ({
  serial_number: read.serial,
  fingerprint_sha256: sha256Hex(read.der),
  subject_key_id: read.keyId.toString('hex'),
  not_before_time: formatMillis(read.notBefore),
  not_after_time: formatMillis(read.notAfter),
})
