import { X509Certificate } from 'node:crypto'
import type { Finding } from '../../ports/inspection.ts'
import type { Reader } from '../../ports/store.ts'
import { authorityCollection, authorityState, type StoredAuthority } from '../certificates/authorities-store.ts'
import { signSchemeOf } from '../certificates/authority-signer.ts'
import { certificateCollection, certificateState } from '../certificates/certificates-store.ts'
import { fitsSignature } from '../keys/signatures.ts'
import { readParts } from './list-parts.ts'
import {
  listCollection,
  partCollection,
  revocationCollection,
  revocationId,
  type StoredList,
  type StoredRevocation,
} from '../revoked/lists-store.ts'
import { readList, type ReadList } from './read-list.ts'

type Findings = AsyncGenerator<Finding, void, undefined>

/**
 * Checks that each authority that was ENABLED has a revocation list, that the signed list names exactly the revoked
 * certificates, and that its signature fits. No key is needed.
 */
export async function* inspectLists(reader: Reader): Findings {
  for await (const { id, value } of reader.each(authorityCollection)) {
    const wasEnabled = value.pem_certificate !== '' && value.state !== authorityState('FAILED')
    const list = (await reader.get(listCollection, id))?.value
    if (wasEnabled !== (list !== undefined))
      yield finding(id, `is ${value.state} ${list ? 'with' : 'without'} a revocation list`)
    if (list) yield* inspectList(reader, value, list)
    yield* inspectRevoked(reader, id, list)
  }
  yield* inspectStrays(reader)
}

const finding = (id: string, message: string, resourceType = 'vault.certificateAuthorities'): Finding => ({
  resourceType,
  id,
  message,
})

async function* inspectList(reader: Reader, authority: StoredAuthority, list: StoredList): Findings {
  const { id } = authority
  if (authority.crl_number !== list.crl_number)
    yield finding(id, `has the crl_number ${authority.crl_number}, and its list has ${list.crl_number}`)
  if (list.crl_number === '') {
    if (!list.is_dirty) yield finding(id, 'has no signed revocation list, and none is due')
    return
  }
  const der = await readParts(reader, list)
  const read = der && readOrNone(der)
  if (!read) return yield finding(id, 'has a revocation list that cannot be read; revoke or wait to sign a new list')
  if (read.number !== list.crl_number) yield finding(id, `has a list with the number ${read.number} in its bytes`)
  if (read.serials.length !== list.revoked_count) yield finding(id, 'has another revoked_count than its list')
  if (!fits(authority, read)) yield finding(id, 'has a revocation list whose signature does not fit its certificate')
  const listed = new Set(read.serials)
  for (const serial of listed)
    if (!(await reader.exists(revocationCollection, { id: revocationId(id, serial) })))
      yield finding(id, `lists the serial number ${serial}, which is not revoked`)
  if (list.is_dirty) return
  for await (const { value } of reader.each(revocationCollection, { certificate_authority_id: id }))
    if (!listed.has(value.serial_number) && !isOver(value, list))
      yield finding(id, `does not list the revoked serial number ${value.serial_number}`)
}

/** Whether a revoked certificate had expired before a list was signed. */
const isOver = ({ not_after_time }: Pick<StoredRevocation, 'not_after_time'>, list: StoredList | undefined): boolean =>
  list?.this_update_time !== undefined && Date.parse(not_after_time) <= Date.parse(list.this_update_time)

function readOrNone(der: Buffer): ReadList | undefined {
  try {
    return readList(der)
  } catch {
    return undefined
  }
}

function fits(authority: StoredAuthority, { signature, signed }: ReadList): boolean {
  const { publicKey } = new X509Certificate(authority.pem_certificate)
  return fitsSignature(signSchemeOf(authority), publicKey, { data: signed }, { encoding: 'der', signature })
}

/**
 * Checks that the certificates and authorities below an authority that are REVOKED have revocations, and that no others
 * have. A revocation without any certificate is in order: a restore keeps the revocations of certificates that the
 * snapshot does not have.
 */
async function* inspectRevoked(reader: Reader, id: string, list: StoredList | undefined): Findings {
  const revoked = new Set<string>()
  const live = new Set<string>()
  const state = certificateState('REVOKED')
  for await (const { value } of reader.each(certificateCollection, { certificate_authority_id: id, state })) {
    revoked.add(value.serial_number)
    yield* inspectRow(reader, id, value, list)
  }
  for await (const { value } of reader.each(authorityCollection, { parent_certificate_authority_id: id })) {
    if (value.state !== authorityState('REVOKED')) {
      live.add(value.serial_number)
      continue
    }
    revoked.add(value.serial_number)
    yield* inspectRow(reader, id, { ...value, not_after_time: value.not_after_time ?? '' }, list)
  }
  for await (const { value } of reader.each(revocationCollection, { certificate_authority_id: id })) {
    const { serial_number } = value
    if (revoked.has(serial_number)) continue
    const where = { certificate_authority_id: id, serial_number }
    if (live.has(serial_number) || (await reader.exists(certificateCollection, where)))
      yield finding(id, `has a revocation of ${serial_number}, whose certificate is not REVOKED`)
  }
}

async function* inspectRow(
  reader: Reader,
  issuer: string,
  certificate: Pick<StoredAuthority, 'id' | 'serial_number' | 'revocation'> & { readonly not_after_time: string },
  list: StoredList | undefined,
): Findings {
  const { id, revocation, serial_number } = certificate
  const row = (await reader.get(revocationCollection, revocationId(issuer, serial_number)))?.value
  if (!row) {
    if (!isOver(certificate, list)) yield finding(issuer, `has no revocation of ${id}, which is REVOKED`)
    return
  }
  if (row.reason !== revocation?.reason || row.revoke_time !== revocation.revoke_time)
    yield finding(issuer, `has another reason or time of the revocation of ${id} than ${id} itself`)
}

/** Checks that lists, parts and revocations belong to an authority. */
async function* inspectStrays(reader: Reader): Findings {
  const known = new Map<string, boolean>()
  const exists = async (id: string): Promise<boolean> => {
    const isKnown = known.get(id) ?? (await reader.exists(authorityCollection, { id }))
    known.set(id, isKnown)
    return isKnown
  }
  for await (const { id } of reader.each(listCollection))
    if (!(await exists(id))) yield finding(id, 'belongs to no authority', 'vault.revocationLists')
  for await (const { id, value } of reader.each(revocationCollection))
    if (!(await exists(value.certificate_authority_id)))
      yield finding(id, 'belongs to no authority', 'vault.revocations')
  for await (const { id, value } of reader.each(partCollection))
    if (!(await exists(value.certificate_authority_id)))
      yield finding(id, 'belongs to no authority', 'vault.revocationListParts')
}
