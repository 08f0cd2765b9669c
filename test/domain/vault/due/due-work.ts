import { authorityCollection } from '../../../../domain/vault/certificates/authorities-store.ts'
import { certificateCollection } from '../../../../domain/vault/certificates/certificates-store.ts'
import { capsuleCollection } from '../../../../domain/vault/capsules/capsules-store.ts'
import { cryptoKeyCollection } from '../../../../domain/vault/keys/crypto-keys-store.ts'
import { keyVersionCollection } from '../../../../domain/vault/keys/key-versions-store.ts'
import { secretVersionCollection } from '../../../../domain/vault/secrets/secret-versions-store.ts'
import { secretCollection } from '../../../../domain/vault/secrets/secrets-store.ts'
import { agenda, type AgendaKind } from '../../../../domain/vault/work/agenda.ts'
import type { Collection, Store, Transaction } from '../../../../domain/ports/store.ts'
import { TaxonomyClient } from '../../../../output/taxonomy/client.ts'
import { VaultClient } from '../../../../output/vault/client.ts'
import type { Transport } from '../../../../runtime/transport.ts'
import { base64, engine } from '../tenant-secrets.ts'

/** A resource with work of one kind. */
export interface DueResource {
  readonly kind: AgendaKind
  /** The id of the resource, for a version `<id>/versions/<number>`. */
  readonly id: string
  /** Sets the time in the row of the resource; absent: the work does not depend on the row. */
  readonly move?: (tx: Transaction, time: string) => Promise<void>
}

/** Returns a function that sets the time in a row. */
const moving =
  <T>(collection: Collection<T>, id: string, set: (value: T, time: string) => T): NonNullable<DueResource['move']> =>
  async (tx, time) => {
    const row = await tx.lock(collection, id)
    if (!row) throw new Error(`${collection.name} ${id} is absent`)
    await tx.update(collection, id, set(row.value, time), row.version)
  }

/** The number of versions of the secret that expires: more than the deletion of a secret erases at once. */
const manyVersions = 8

/** The number of versions of the key that is removed: more than its removal erases at once. */
const keyVersions = 5

const day = '86400s'

/** Creates a resource for every kind of work; the times of all of them are in the future. */
export async function makeResources(transport: Transport): Promise<readonly DueResource[]> {
  const taxonomy = new TaxonomyClient(transport)
  const { resource_id: organisation } = await taxonomy.createOrganisation({ body: { name: `acme-${process.pid}` } })
  const { resource_id: workspace } = await taxonomy.createWorkspace({ organisation, body: { name: 'web' } })
  const place = { vault: new VaultClient(transport), at: { workspace, engine } }
  return [
    ...(await makeSecrets(place)),
    ...(await makeKeys(place)),
    ...(await makeCapsules(place)),
    ...(await makeCertificates(place)),
  ]
}

interface Place {
  readonly vault: VaultClient
  readonly at: { readonly workspace: string; readonly engine: string }
}

async function makeSecrets({ at, vault }: Place): Promise<readonly DueResource[]> {
  const create = async (name: string, versions: number, body: object): Promise<string> => {
    const { resource_id: secret } = await vault.createSecret({ ...at, body: { name, ...body } })
    for (let i = 0; i < versions; i += 1)
      await vault.addSecretVersion({ ...at, secret, body: { payload: { data: base64('text') } } })
    return secret
  }
  const expiring = await create('expiring', manyVersions, { ttl: day })
  const rotated = await create('rotated', 1, { rotation: { rotation_period: day } })
  const destroyed = await create('destroyed', 1, { version_destroy_delay: day })
  await vault.destroySecretVersion({ ...at, secret: destroyed, id: '1', body: {} })
  const version = `${destroyed}/versions/1`
  return [
    {
      kind: 'secrets.expire',
      id: expiring,
      move: moving(secretCollection, expiring, (secret, expire_time) => ({ ...secret, expire_time })),
    },
    {
      kind: 'secrets.announceRotation',
      id: rotated,
      move: moving(secretCollection, rotated, (secret, next_rotation_time) => ({
        ...secret,
        rotation: { rotation_period: day, next_rotation_time },
      })),
    },
    {
      kind: 'secretVersions.destroy',
      id: version,
      move: moving(secretVersionCollection, version, (row, scheduled_destroy_time) => ({
        ...row,
        scheduled_destroy_time,
      })),
    },
  ]
}

async function makeKeys({ at, vault }: Place): Promise<readonly DueResource[]> {
  const create = async (name: string, body: object = {}): Promise<string> => {
    const purpose = 'VAULT_CRYPTO_KEY_PURPOSE_ENCRYPT_DECRYPT'
    return (await vault.createCryptoKey({ ...at, body: { name, purpose, ...body } })).resource_id
  }
  const rotated = await create('rotated', { rotation_period: day })
  const older = await create('older')
  await vault.rotateCryptoKey({ ...at, id: older, body: {} })
  await vault.destroyCryptoKeyVersion({ ...at, cryptokey: older, id: '1', body: {} })
  const deleted = await create('deleted')
  for (let i = 1; i < keyVersions; i += 1) await vault.rotateCryptoKey({ ...at, id: deleted, body: {} })
  await vault.deleteCryptoKey({ ...at, id: deleted })
  const destruction = (version: string): DueResource => ({
    kind: 'cryptoKeyVersions.destroy',
    id: version,
    move: moving(keyVersionCollection, version, (row, destroy_time) => ({ ...row, destroy_time })),
  })
  return [
    {
      kind: 'cryptoKeys.rotate',
      id: rotated,
      move: moving(cryptoKeyCollection, rotated, (key, next_rotation_time) => ({ ...key, next_rotation_time })),
    },
    destruction(`${older}/versions/1`),
    ...Array.from({ length: keyVersions }, (_, i) => destruction(`${deleted}/versions/${i + 1}`)),
  ]
}

async function makeCapsules({ at, vault }: Place): Promise<readonly DueResource[]> {
  const create = async (): Promise<string> =>
    (await vault.createCapsule({ ...at, body: { payload: { data: base64('text') } } })).resource_id
  const [expiring, revoked] = [await create(), await create()]
  await vault.revokeCapsule({ ...at, id: revoked, body: {} })
  return [
    {
      kind: 'capsules.expire',
      id: expiring,
      move: moving(capsuleCollection, expiring, (capsule, expire_time) => ({ ...capsule, expire_time })),
    },
    { kind: 'capsules.remove', id: revoked },
  ]
}

async function makeCertificates({ at, vault }: Place): Promise<readonly DueResource[]> {
  const authority = async (name: string): Promise<string> => {
    const type = 'VAULT_CERTIFICATE_AUTHORITY_TYPE_ROOT'
    const body = { name, type, subject: { common_name: name }, lifetime: '31536000s' } as const
    return (await vault.waitOperation(await vault.createCertificateAuthority({ ...at, body }))).resource_id
  }
  const [issuer, expiring] = [await authority('issuer'), await authority('expiring')]
  const issue = async (name: string): Promise<string> => {
    const config = { subject: { common_name: 'db.example.com' }, subject_alt_names: { dns_names: ['db.example.com'] } }
    const body = { config, private_key_secret_name: name, lifetime: '3456000s' }
    return (await vault.createCertificate({ ...at, certificate_authority: issuer, body })).resource_id
  }
  const [announced, ended] = [await issue('announced'), await issue('ended')]
  return [
    {
      kind: 'certificateAuthorities.expire',
      id: expiring,
      move: moving(authorityCollection, expiring, (row, not_after_time) => ({ ...row, not_after_time })),
    },
    // Only the notice of this certificate is due.
    { kind: 'certificates.end', id: announced },
    {
      kind: 'certificates.end',
      id: ended,
      move: moving(certificateCollection, ended, (row, not_after_time) => ({ ...row, not_after_time })),
    },
  ]
}

/** Moves the times of resources into the past, an hour ago and a second apart, so that their work is due in order. */
export async function makeDue(store: Pick<Store, 'tx'>, resources: readonly DueResource[]): Promise<void> {
  const start = Date.now() - 3_600_000
  await store.tx(async tx => {
    for (const [i, { id, kind, move }] of resources.entries()) {
      const due_time = new Date(start + i * 1000).toISOString()
      const entry = await tx.lock(agenda, `${kind}/${id}`)
      if (!entry) throw new Error(`${id} has no work of kind ${kind}`)
      await tx.update(agenda, entry.id, { ...entry.value, due_time }, entry.version)
      await move?.(tx, due_time)
    }
  })
}
