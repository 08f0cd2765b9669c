import { AsnConvert } from '@peculiar/asn1-schema'
import { createHash, createPublicKey, X509Certificate, type KeyObject } from 'node:crypto'
import { signatureAlgorithm } from '../../../../domain/vault/certificates/x509/signature-algorithms.ts'
import {
  authorityCollection,
  authorityState,
  type StoredAuthority,
} from '../../../../domain/vault/certificates/authorities-store.ts'
import {
  certificateCollection,
  certificateState,
  type StoredCertificate,
} from '../../../../domain/vault/certificates/certificates-store.ts'
import { keyOwner } from '../../../../domain/vault/certificates/authority-signer.ts'
import { generateMaterial, privateKeyOf } from '../../../../domain/vault/keys/material.ts'
import { keyVersionCollection, materialCollection } from '../../../../domain/vault/keys/key-versions-store.ts'
import { Materials } from '../../../../domain/vault/keys/materials.ts'
import type { SignScheme } from '../../../../domain/vault/keys/schemes.ts'
import { signatureOf } from '../../../../domain/vault/keys/signatures.ts'
import { extension, integer, tag, time, value } from '../../../../domain/vault/revocation/der.ts'
import { listCollection, partCollection, revocationCollection } from '../../../../domain/vault/revoked/lists-store.ts'
import { startList } from '../../../../domain/vault/revoked/mark-revoked.ts'
import type { Keyring } from '../../../../domain/vault/seal/keyring.ts'
import { sealCollections } from '../../../../domain/vault/seal/seal-store.ts'
import type { Store } from '../../../../domain/ports/store.ts'
import { formatMillis } from '../../../../runtime/timestamps.ts'
import type { CryptoKeyAlgorithm } from '../../../../output/vault/types.ts'

/** The collections of a store with authorities and their revocation lists. */
export const issuerCollections = [
  ...sealCollections,
  authorityCollection,
  certificateCollection,
  keyVersionCollection,
  materialCollection,
  listCollection,
  partCollection,
  revocationCollection,
] as const

const year = 365 * 86_400_000

/** A self-signed certificate of an authority. */
export interface Issuer {
  readonly pem: string
  readonly keyId: string
}

/** Makes the self-signed certificate of an authority, which is valid for a year. */
export function selfSigned(secret: KeyObject, scheme: SignScheme, now: number): Issuer {
  const algorithm = Buffer.from(AsnConvert.serialize(signatureAlgorithm(scheme)))
  const spki = createPublicKey(secret).export({ format: 'der', type: 'spki' })
  const keyId = createHash('sha1').update(spki).digest()
  const name = value(
    tag.sequence,
    value(0x31, value(tag.sequence, oid(0x55, 0x04, 0x03), value(0x0c, Buffer.from('Revocation CA')))),
  )
  const critical = Buffer.of(0x01, 1, 0xff)
  const extensions = value(
    tag.sequence,
    // basicConstraints CA:TRUE, keyUsage keyCertSign and cRLSign, subjectKeyIdentifier
    value(tag.sequence, oid(0x55, 0x1d, 0x13), critical, value(4, value(tag.sequence, critical))),
    value(tag.sequence, oid(0x55, 0x1d, 0x0f), critical, value(4, value(3, Buffer.of(1, 0x06)))),
    extension(oid(0x55, 0x1d, 0x0e), value(4, keyId)),
  )
  const unsigned = value(
    tag.sequence,
    value(tag.explicit0, Buffer.of(2, 1, 2)),
    integer(Buffer.of(1)),
    algorithm,
    name,
    value(tag.sequence, time(now - 60_000), time(now + year)),
    name,
    spki,
    value(0xa3, extensions),
  )
  const signature = signatureOf(scheme, secret, { data: unsigned }, 'der')
  const der = value(tag.sequence, unsigned, algorithm, value(tag.bitString, Buffer.of(0), signature))
  return { pem: new X509Certificate(der).toString(), keyId: keyId.toString('hex') }
}

const oid = (...bytes: readonly number[]): Buffer => value(tag.oid, Buffer.from(bytes))

/** The time of rows whose times do not matter. */
const noTime = '2026-01-01T00:00:00.000Z'

/** A stored authority, and the materials with which it signs. */
export interface StoredIssuer {
  readonly authority: StoredAuthority
  readonly materials: Materials
}

/** Stores an ENABLED authority with a key and an unsigned revocation list. The collections are `issuerCollections`. */
export async function storedIssuer(
  store: Store,
  keyring: Keyring,
  {
    algorithm,
    id,
    now,
    scheme,
  }: { readonly algorithm: CryptoKeyAlgorithm; readonly id: string; readonly now: number; readonly scheme: SignScheme },
): Promise<StoredIssuer> {
  const workspace_id = '01890000-0000-7000-8000-000000000001'
  const { secret } = await generateMaterial(scheme)
  const { keyId, pem } = selfSigned(privateKeyOf(secret), scheme, now)
  const authority: StoredAuthority = {
    id,
    workspace_id,
    engine: 'native',
    name: `ca-${id}`,
    display_name: '',
    description: '',
    labels: {},
    type: 'VAULT_CERTIFICATE_AUTHORITY_TYPE_ROOT',
    subject: {
      common_name: 'Revocation CA',
      organization: '',
      organizational_unit: '',
      country_code: '',
      province: '',
      locality: '',
    },
    key_algorithm: algorithm,
    crypto_key_id: '',
    crypto_key_version: '',
    key_row_id: `${id}/versions/1`,
    parent_certificate_authority_id: '',
    issuing_certificate_urls: [],
    require_template: false,
    state: authorityState('ENABLED'),
    etag: '1',
    pem_csr: '',
    pem_certificate: pem,
    pem_certificate_chain: [pem],
    serial_number: '01',
    fingerprint_sha256: '',
    subject_key_id: keyId,
    not_before_time: formatMillis(now - 60_000),
    not_after_time: formatMillis(now + year),
    crl_number: '',
    operation_id: '',
    create_time: noTime,
    update_time: noTime,
  }
  const materials = new Materials(keyring, { listen: () => {}, revise: async () => {} })
  await store.tx(async tx => {
    await tx.insert(authorityCollection, authority)
    await materials.add(tx, keyOwner(authority), Buffer.from(secret))
    await startList(tx, authority, now)
  })
  return { authority, materials }
}

/** Returns the row of a REVOKED certificate of an authority. The certificate itself and its names are left out. */
export const revokedRow = (
  { id: authority, workspace_id }: StoredAuthority,
  id: string,
  serial_number: string,
  { not_after_time, revocation }: Required<Pick<StoredCertificate, 'not_after_time' | 'revocation'>>,
): StoredCertificate => ({
  id,
  workspace_id,
  engine: 'native',
  certificate_authority_id: authority,
  name: `certificate-${id}`,
  display_name: '',
  description: '',
  labels: {},
  private_key_secret_id: '',
  certificate_template_id: '',
  template_copy: '',
  state: certificateState('REVOKED'),
  serial_number,
  pem_certificate: '',
  pem_certificate_chain: [],
  subject: {
    common_name: '',
    organization: '',
    organizational_unit: '',
    country_code: '',
    province: '',
    locality: '',
  },
  subject_alt_names: { dns_names: [], ip_addresses: [], uris: [], email_addresses: [] },
  common_name: '',
  dns_names: [],
  fingerprint_sha256: '',
  subject_key_id: '',
  authority_key_id: '',
  not_before_time: noTime,
  not_after_time,
  revocation,
  requested_by: workspace_id,
  etag: '1',
  create_time: noTime,
  update_time: noTime,
})
