import type { KeyObject } from 'node:crypto'
import { storedDataCorrupt, caNotFound } from '../../../output/vault/errors.ts'
import { atField, type ApiError } from '../../../runtime/errors.ts'
import { fieldInvalid } from '../../../runtime/refusal.ts'
import type { Transaction } from '../../ports/store.ts'
import { isAt } from '../../resources/find-rows.ts'
import type { VaultEnvironment } from '../environment.ts'
import { privateKeyOf, publicKeyOf, type Material } from '../keys/material.ts'
import { keyVersionCollection } from '../keys/key-versions-store.ts'
import { signatureOf } from '../keys/signatures.ts'
import { authorityCollection, authorityState, type StoredAuthority } from './authorities-store.ts'
import {
  authorityContent,
  certifiedMembers,
  readSigned,
  requirePathLength,
  requireWithin,
  subjectDer,
  validityOf,
  type CertifiedMembers,
} from './authority-certificate.ts'
import { signAs, signSchemeOf } from './authority-signer.ts'
import { holdIssuer, readIssuer, requireIssuing, requireValidChain, type Issuer } from './issuer.ts'
import { keyIdentifier, publicKeyDer, signedCertificate, type Sign } from './x509/certificate-der.ts'
import { basicConstraints, keyUsage, nameConstraints, subjectKeyIdentifier } from './x509/extensions.ts'
import { pemOf } from './x509/pem.ts'
import { signedRequest } from './x509/signing-request.ts'

const root = 'VAULT_CERTIFICATE_AUTHORITY_TYPE_ROOT'

/** The key of a new authority: its public key, and the function that signs with its private key. */
export interface AuthorityKey {
  readonly publicKey: KeyObject
  readonly sign: Sign
}

/** Returns the key of an authority whose material is not stored yet. */
export function freshKey(authority: StoredAuthority, { publicKey, secret }: Material): AuthorityKey {
  if (publicKey === undefined) throw new Error('the key of an authority is no pair')
  const privateKey = privateKeyOf(secret)
  const scheme = signSchemeOf(authority)
  return { publicKey, sign: async bytes => signatureOf(scheme, privateKey, { data: bytes }, 'der') }
}

/** Returns the key of an authority that signs with a version of a crypto key. Throws KEY_VERSION_NOT_FOUND. */
export async function pinnedKey(environment: VaultEnvironment, authority: StoredAuthority): Promise<AuthorityKey> {
  const version = await environment.store.get(keyVersionCollection, authority.key_row_id)
  if (!version)
    throw storedDataCorrupt(`the crypto key of certificate authority ${authority.id} has no such version`, {
      resource: { type: 'vault.cryptoKeyVersions', name: authority.key_row_id },
    })
  return {
    publicKey: publicKeyOf(version.value.public_key_pem),
    sign: bytes => signAs(environment, authority, bytes),
  }
}

/** The members of an authority after its creation: of its certificate, or of its signing request. */
export type MadeMembers = CertifiedMembers | Pick<StoredAuthority, 'state' | 'pem_csr'>

/**
 * Signs the certificate of a new authority, by itself or by its parent, or the request for a certificate from elsewhere.
 * Never call this in a transaction. Throws the reasons of the parent: CA_NOT_FOUND, CA_NOT_ENABLED, ISSUER_NOT_USABLE,
 * PATH_LENGTH_EXCEEDED, LIFETIME_EXCEEDS_ISSUER, KEY_VERSION_DISABLED and KEY_VERSION_DESTROYED.
 */
export async function certifyAuthority(
  environment: VaultEnvironment,
  authority: StoredAuthority,
  key: AuthorityKey,
  now: number,
): Promise<MadeMembers> {
  const scheme = signSchemeOf(authority)
  if (authority.type === root) {
    const content = authorityContent(authority, key.publicKey, { issuer: undefined, now })
    return certifiedMembers([readSigned(pemOf('CERTIFICATE', await signedCertificate(content, scheme, key.sign)))])
  }
  if (authority.parent_certificate_authority_id === '') return requestFor(authority, key)
  const issuer = await parentOf(environment, authority, now)
  const content = authorityContent(authority, key.publicKey, { issuer, now })
  const sign: Sign = bytes => signAs(environment, issuer.authority, bytes)
  const der = await signedCertificate(content, signSchemeOf(issuer.authority), sign)
  return certifiedMembers([readSigned(pemOf('CERTIFICATE', der)), ...issuer.chain])
}

async function requestFor(authority: StoredAuthority, key: AuthorityKey): Promise<MadeMembers> {
  const { max_path_length = 0, name_constraints } = authority
  const content = {
    subject: subjectDer(authority),
    publicKey: key.publicKey,
    extensions: [
      basicConstraints(max_path_length),
      keyUsage(['VAULT_KEY_USAGE_CERT_SIGN', 'VAULT_KEY_USAGE_CRL_SIGN']),
      subjectKeyIdentifier(keyIdentifier(publicKeyDer(key.publicKey))),
      ...nameConstraints(name_constraints),
    ],
  }
  const pem_csr = await signedRequest(content, signSchemeOf(authority), key.sign)
  return { state: authorityState('AWAITING_ACTIVATION'), pem_csr }
}

const parentField = 'parent_certificate_authority_id'

/** Returns the parent as an issuer that may sign the authority. */
async function parentOf(environment: VaultEnvironment, authority: StoredAuthority, now: number): Promise<Issuer> {
  const { store } = environment
  const stored = await store.get(authorityCollection, authority.parent_certificate_authority_id)
  if (!stored || !isBeside(stored.value, authority)) throw absentParent(authority)
  const issuer = await readIssuer(store, stored.value)
  requireIssuing(stored.value, issuer.ancestors, now)
  requireValidChain(issuer, now)
  requirePathLength(stored.value, authority.max_path_length ?? 0)
  requireWithin(issuer, validityOf(authority.lifetime ?? '', now).notAfter)
  if (issuer.chain.some(({ subject }) => subject.equals(subjectDer(authority)))) {
    const description = 'is the subject of an authority above; choose another common_name'
    throw fieldInvalid([{ field: 'subject.common_name', description }])
  }
  return issuer
}

const isBeside = (parent: StoredAuthority, { engine, workspace_id }: StoredAuthority): boolean =>
  isAt(parent, { workspace: workspace_id, engine })

const absentParent = ({ parent_certificate_authority_id: id, workspace_id }: StoredAuthority): ApiError =>
  atField(
    caNotFound(`workspace ${workspace_id} has no certificate authority ${id}`, {
      resource: { type: 'vault.certificateAuthorities', name: id },
    }),
    parentField,
  )

/**
 * Step 12: shares the parent and the authorities above it, and requires that the signature of the parent still counts.
 * Throws CA_NOT_FOUND at the field, CA_NOT_ENABLED or ISSUER_NOT_USABLE.
 */
export async function requireParent(tx: Transaction, authority: StoredAuthority, now: number): Promise<void> {
  if (authority.parent_certificate_authority_id === '') return
  const parent = await holdIssuer(tx, authority.parent_certificate_authority_id, 'share')
  if (!parent || !isBeside(parent.stored.value, authority)) throw absentParent(authority)
  requireIssuing(parent.stored.value, parent.ancestors, now)
}
