import { checkFilter } from '../../../runtime/filter/check.ts'
import type { Filter, ListFields } from '../../../runtime/filter/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { RevocationReason } from '../../../output/vault/types.ts'
import type { Collection } from '../../ports/store.ts'

/**
 * The revocation list of a certificate authority that has been ENABLED. The row exists from that moment on, and has no
 * signed list before the first signature.
 */
export interface StoredList {
  /** The id of the certificate authority. */
  readonly id: string
  readonly workspace_id: string
  /** The number of the signed list in decimal digits; empty before the first signature, as the next members. */
  readonly crl_number: string
  /** The id of the parts of the signed list. */
  readonly content: string
  readonly parts: number
  readonly revoked_count: number
  readonly this_update_time?: string
  readonly next_update_time?: string
  /** Whether the list before was signed in the same second, so that the date does not tell them apart. */
  readonly is_same_second: boolean
  /** Whether a revocation is absent from the signed list, or no list was signed. */
  readonly is_dirty: boolean
  /** A random text that each revocation replaces, so that a signature notices later revocations. */
  readonly mark: string
  /** When the worker signs the list anew; absent if it does not. */
  readonly renew_time?: string
}

/** The field by which the worker finds lists. */
export const listFields: ListFields = {
  fields: [{ name: 'renew_time', type: 'TIMESTAMP', operators: ['<='], sortable: true }],
  defaultOrder: 'renew_time',
  key: 'id',
}

/** The revocation lists of all authorities. */
export const listCollection: Collection<StoredList> = {
  name: 'vault_revocation_lists',
  id: 'id',
  list: listFields,
  columns: { workspace_id: 'STRING' },
  indexes: [['workspace_id']],
}

/** Returns the filter of the lists that the worker signs anew at a time. */
export const toRenewAt = (now: number): Filter | undefined =>
  checkFilter(`renew_time <= "${formatMillis(now)}"`, listFields)

/** A part of the bytes of a signed list. */
export interface StoredPart {
  /** The id in the form `<content>/<index>`; the index has 6 digits, so that the ids have the order of the bytes. */
  readonly id: string
  readonly certificate_authority_id: string
  readonly workspace_id: string
  /** The id of the signed list, which differs between two signatures. */
  readonly content: string
  readonly create_time: string
  /** The bytes in base64. */
  readonly der: string
}

/**
 * The bytes of the signed lists. A long list is stored in several rows and transactions, because one long write blocks
 * all other calls of a server with SQLite.
 */
export const partCollection: Collection<StoredPart> = {
  name: 'vault_revocation_list_parts',
  id: 'id',
  columns: { certificate_authority_id: 'STRING', workspace_id: 'STRING', content: 'STRING' },
  indexes: [['certificate_authority_id'], ['workspace_id'], ['content']],
}

/** Returns the id of a part. */
export const partId = (content: string, index: number): string => `${content}/${String(index).padStart(6, '0')}`

/**
 * A revoked certificate of an authority: a leaf, or the certificate of a subordinate authority. The row is deleted after
 * the first list that was signed after the expiry of the certificate.
 */
export interface StoredRevocation {
  /** The id in the form `<issuing authority>/<serial number>`. */
  readonly id: string
  readonly certificate_authority_id: string
  readonly workspace_id: string
  readonly serial_number: string
  readonly reason: RevocationReason
  readonly revoke_time: string
  /** The expiry of the certificate. */
  readonly not_after_time: string
}

/** The revoked certificates of all authorities. */
export const revocationCollection: Collection<StoredRevocation> = {
  name: 'vault_revocations',
  id: 'id',
  columns: { certificate_authority_id: 'STRING', workspace_id: 'STRING' },
  indexes: [['certificate_authority_id'], ['workspace_id']],
}

/** Returns the id of a revocation. */
export const revocationId = (authority: string, serial: string): string => `${authority}/${serial}`
