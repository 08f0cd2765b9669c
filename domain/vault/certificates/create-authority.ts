import type { VaultArea } from '../../../output/vault/area.ts'
import { fieldInvalid } from '../../../runtime/refusal.ts'
import { ApiError, atField } from '../../../runtime/errors.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { ParsedCreateCertificateAuthorityRequest } from '../../../output/vault/types.ts'
import { cryptoKeyNotFound } from '../../../output/vault/errors.ts'
import { isAt } from '../../resources/find-rows.ts'
import { workspaceScope } from '../../resources/kind.ts'
import type { Resources } from '../../resources/resources.ts'
import type { VaultEnvironment } from '../environment.ts'
import { cryptoKeyCollection } from '../keys/crypto-keys-store.ts'
import { requirePurpose, usableVersion } from '../keys/find-key.ts'
import { keyVersionRowId } from '../keys/key-versions-store.ts'
import { requireNotScheduled } from '../keys/key-versions.ts'
import { generateMaterial, isSlow, type Material } from '../keys/material.ts'
import { startList } from '../revoked/mark-revoked.ts'
import { setAgenda } from '../work/agenda.ts'
import { authorityState, type StoredAuthority } from './authorities-store.ts'
import { canonicalAuthority, isAuthorityAlgorithm, type AuthorityBody } from './authority-form.ts'
import { keyOwner, requireUsableKey, signSchemeOf } from './authority-signer.ts'
import { certifyAuthority, freshKey, pinnedKey, requireParent, type MadeMembers } from './certify-authority.ts'
import { orderAuthority } from './make-authority.ts'

const root = 'VAULT_CERTIFICATE_AUTHORITY_TYPE_ROOT'

/** The parts of a new authority that are made before the transaction. */
interface Made {
  readonly row: StoredAuthority
  /** The own key of the authority; undefined for a version of a crypto key, and for a key that is generated later. */
  readonly material: Material | undefined
  /** The fault of the parent or of the crypto key, which is thrown at its step. */
  readonly fault: unknown
}

/**
 * Creates an authority. All signatures are made before the transaction, which checks the signer again. An authority with
 * an RSA key of its own is CREATING until a procedure has generated the key.
 */
export async function createAuthority(
  environment: VaultEnvironment,
  resources: Resources<StoredAuthority, VaultArea>,
  request: ParsedCreateCertificateAuthorityRequest,
  context: CallContext,
) {
  const body = canonicalAuthority(request.body)
  if (body.crypto_key_id !== '')
    await environment.access.require(context, 'vault.cryptoKeys.sign', workspaceScope(request.workspace))
  const plain = newAuthority(environment, { ...resources.standard(request, context) }, body)
  const { fault, material, row } = await made(environment, plain, context.now)
  const answer = await resources.create(request, context, row, {
    async refer(tx) {
      if (fault !== undefined) throw fault
      await requireParent(tx, row, context.now)
      await requireUsableKey(tx, row)
    },
    async count(tx) {
      if (material) await environment.materials.add(tx, keyOwner(row), material.secret)
      await setAgenda(tx, 'certificateAuthorities.expire', row, row.not_after_time)
      if (row.state === authorityState('ENABLED')) await startList(tx, row, context.now)
      return row.state === authorityState('CREATING') ? { procedure: orderAuthority(row) } : {}
    },
  })
  material?.secret.fill(0)
  return answer
}

function newAuthority(
  { baseUrl }: Pick<VaultEnvironment, 'baseUrl'>,
  standard: Pick<StoredAuthority, 'id' | 'workspace_id' | 'engine' | 'etag' | 'create_time' | 'update_time'>,
  { activation: _none, etag: _precondition, ...given }: AuthorityBody,
): StoredAuthority {
  return {
    ...standard,
    ...given,
    ...(given.crypto_key_id === '' && {
      key_algorithm: given.key_algorithm ?? 'VAULT_CRYPTO_KEY_ALGORITHM_EC_P256_SHA256',
    }),
    max_path_length: given.max_path_length ?? (given.type === root ? 1 : 0),
    crl_urls: given.crl_urls ?? [`${baseUrl()}/crl/${standard.id}.crl`],
    state: authorityState('CREATING'),
    pem_csr: '',
    pem_certificate: '',
    pem_certificate_chain: [],
    serial_number: '',
    fingerprint_sha256: '',
    subject_key_id: '',
    crl_number: '',
    crypto_key_version: '',
    key_row_id: keyVersionRowId(standard.id, '1'),
    operation_id: '',
  }
}

/** Makes the key and the certificate of a new authority, as far as no RSA key has to be generated. */
async function made(environment: VaultEnvironment, plain: StoredAuthority, now: number): Promise<Made> {
  let row = plain
  let material: Material | undefined
  try {
    row = await pinned(environment, plain)
    if (row.crypto_key_id === '' && isSlow(signSchemeOf(row))) return { row, material, fault: undefined }
    if (row.crypto_key_id === '') material = await generateMaterial(signSchemeOf(row))
    const key = material ? freshKey(row, material) : await pinnedKey(environment, row)
    const members: MadeMembers = await certifyAuthority(environment, row, key, now)
    return { row: { ...row, ...members }, material, fault: undefined }
  } catch (fault) {
    if (!(fault instanceof ApiError)) throw fault
    return { row, material, fault }
  }
}

/** Pins the primary version of the crypto key that the body names, if any. Throws the reasons of keys at the field. */
async function pinned({ store }: VaultEnvironment, row: StoredAuthority): Promise<StoredAuthority> {
  const { crypto_key_id, engine, workspace_id: workspace } = row
  if (crypto_key_id === '') return row
  const key = await store.get(cryptoKeyCollection, crypto_key_id)
  try {
    if (!key || !isAt(key.value, { workspace, engine }))
      throw cryptoKeyNotFound(`workspace ${workspace} has no crypto key ${crypto_key_id}`, {
        resource: { type: 'vault.cryptoKeys', name: crypto_key_id },
      })
    requireNotScheduled(key.value)
    requirePurpose(key.value, 'ASYMMETRIC_SIGN')
    const { algorithm, id, row_id } = await usableVersion(store, key.value, '')
    requireAlgorithm(row, algorithm)
    return { ...row, key_algorithm: algorithm, crypto_key_version: id, key_row_id: row_id }
  } catch (error) {
    throw error instanceof ApiError && error.reason !== 'FIELD_INVALID' ? atField(error, 'crypto_key_id') : error
  }
}

/** Throws FIELD_INVALID unless the version has an algorithm of authorities, and the algorithm that the body names. */
function requireAlgorithm({ key_algorithm }: StoredAuthority, algorithm: string): void {
  if (!isAuthorityAlgorithm(algorithm)) {
    const description = `its primary version has the algorithm ${algorithm}, which no authority can have`
    throw fieldInvalid([{ field: 'crypto_key_id', description }])
  }
  if (key_algorithm === undefined || key_algorithm === algorithm) return
  const description = `is not the algorithm of the version, ${algorithm}; leave it out`
  throw fieldInvalid([{ field: 'key_algorithm', description }])
}
