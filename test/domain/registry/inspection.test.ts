import { beforeAll, describe, expect, it } from 'vitest'
import type { Collection, Stored } from '../../../domain/ports/store.ts'
import { artifactCollection, manifestCollection, rowOf } from '../../../domain/registry/artifacts/artifacts-store.ts'
import { referenceCollection } from '../../../domain/registry/artifacts/references-store.ts'
import { tagCollection, tagId } from '../../../domain/registry/artifacts/tags-store.ts'
import { blobCollection, linkCollection } from '../../../domain/registry/blobs/blobs-store.ts'
import { grantCollection } from '../../../domain/registry/grants/grants-store.ts'
import { lockCollection, protectedCollection } from '../../../domain/registry/locks/locks-store.ts'
import { openingCollection } from '../../../domain/registry/openings/openings-store.ts'
import { policyCollection } from '../../../domain/registry/policies/policies-store.ts'
import { limitCollection } from '../../../domain/registry/quotas/limit-kind.ts'
import { repositoryCollection } from '../../../domain/registry/repositories/repositories-store.ts'
import { areas } from '../../../server/areas.ts'
import { storeCollections } from '../../../server/platform-store.ts'
import type { ServerStore } from '../../../server/store/server-store.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { absentId, addTenant } from '../../areas/members.ts'
import { openBeside } from '../../server/store/left-place.ts'
import { digestOf, ociIndex } from './oci-client.ts'
import { sharedRegistry } from './plane/shared-registry.ts'

const registry = sharedRegistry()
const layer = digestOf('the layer')
const absentDigest = digestOf('absent')
const later = '2100-01-01T00:00:00.000Z'

let store: ServerStore
/** The ids of the rows that the cases alter. */
const ids = { repository: '', digest: '', index: '', lock: '', policy: '', opened: '', grant: '', limit: '' }

beforeAll(async () => {
  const { api, oci, place, repository, workspace } = registry()
  ids.repository = await repository('altered')
  const name = 'acme/web/altered'
  const at = { workspace, engine: 'native' }
  ids.digest = await oci.pushImage(name, 'v1', 'the layer')
  const manifests = [{ mediaType: 'application/vnd.oci.image.manifest.v1+json', digest: ids.digest, size: 1 }]
  const index = { schemaVersion: 2, mediaType: ociIndex, manifests }
  const pushed = await oci.pushManifest(name, 'all', index, ociIndex)
  ids.index = pushed.headers.get('docker-content-digest') ?? ''
  const lock = { reference: 'v1', reason: 'in use', protect_tags: true }
  const made = await api.registry.createDeploymentLock({ workspace, repository: ids.repository, body: lock })
  ids.lock = made.resource_id
  const rules = [
    {
      effect: 'REGISTRY_POLICY_EFFECT_DENY' as const,
      principals: ['ALL_AUTHENTICATED'],
      actions: ['REGISTRY_ACTION_SCAN' as const],
    },
  ]
  const policy = { ...at, repository: ids.repository, body: { name: 'kept', rules } }
  ids.policy = (await api.registry.createRepositoryAccessPolicy(policy)).resource_id
  const allowed = [
    {
      effect: 'REGISTRY_POLICY_EFFECT_ALLOW' as const,
      principals: ['ALL_USERS'],
      actions: ['REGISTRY_ACTION_PULL' as const],
    },
  ]
  const open = { ...at, repository: ids.repository, body: { name: 'public', rules: allowed } }
  ids.opened = (await api.registry.createRepositoryAccessPolicy(open)).resource_id
  const grantee_workspace_id = (await addTenant(api, 'friends')).workspace
  const grant = { ...at, body: { grantee_workspace_id, repository_id: ids.repository } }
  ids.grant = (await api.registry.createPullGrant(grant)).resource_id
  const limit = { quota_definition_id: 'registry.storageBytes', limit: 1_000_000 }
  ids.limit = (await api.registry.createQuotaLimit({ workspace, body: limit })).resource_id
  store = await openBeside(place, storeCollections(areas))
  return () => store.close()
})

/** Alters the store; returns the function that restores it. */
type Alter = () => Promise<() => Promise<void>>

async function rowAt<T>(collection: Collection<T>, key: string): Promise<Stored<T>> {
  const row = await store.get(collection, key)
  if (!row) throw new Error(`there is no row ${key} of ${collection.name}`)
  return row
}

const changed =
  <T>(collection: Collection<T>, key: () => string, change: (value: T) => T): Alter =>
  async () => {
    const { value, version } = await rowAt(collection, key())
    const { version: next } = await store.tx(tx => tx.update(collection, key(), change(value), version))
    return async () => void (await store.tx(tx => tx.update(collection, key(), value, next)))
  }

const deleted =
  <T>(collection: Collection<T>, key: () => string): Alter =>
  async () => {
    const { value, version } = await rowAt(collection, key())
    await store.tx(tx => tx.delete(collection, key(), version))
    return async () => void (await store.tx(tx => tx.insert(collection, value)))
  }

const added =
  <T>(collection: Collection<T>, key: () => string, change: (value: T) => T): Alter =>
  async () => {
    const { value } = await rowAt(collection, key())
    const { id, version } = await store.tx(tx => tx.insert(collection, change(value)))
    return () => store.tx(tx => tx.delete(collection, id, version))
  }

const repository = () => ids.repository
const artifact = () => rowOf(ids.repository, ids.digest)
const link = () => rowOf(ids.repository, layer)
const tag = () => tagId(ids.repository, 'v1')
const blobReference = () => `${artifact()}/BLOB/${layer}`
const opening = () => `${ids.opened}/ALL_USERS`
const protectedDigest = () => `${ids.lock}/${ids.digest}`

/** One alteration for each thing that the inspectors of the area compare, and what the doctor says about it. */
const alterations: readonly (readonly [alteration: string, alter: Alter, finding: RegExp])[] = [
  [
    'the artifacts of a repository are counted wrong',
    changed(repositoryCollection, repository, row => ({ ...row, artifact_count: 7 })),
    /has artifact_count 7; its content makes 2/,
  ],
  [
    'the tags of a repository are counted wrong',
    changed(repositoryCollection, repository, row => ({ ...row, tag_count: 7 })),
    /has tag_count 7; its content makes 2/,
  ],
  [
    'the bytes of a repository are counted wrong',
    changed(repositoryCollection, repository, row => ({ ...row, size_bytes: 7 })),
    /has size_bytes 7; its content makes \d+/,
  ],
  [
    'a repository is READ_ONLY without need',
    changed(repositoryCollection, repository, row => ({
      ...row,
      state: 'REGISTRY_REPOSITORY_STATE_READ_ONLY' as const,
    })),
    /is REGISTRY_REPOSITORY_STATE_READ_ONLY, but its workspace stores \d+ bytes of a limit of 1000000/,
  ],
  [
    'a repository is DELETING without work',
    changed(repositoryCollection, repository, row => ({
      ...row,
      state: 'REGISTRY_REPOSITORY_STATE_DELETING' as const,
    })),
    /is being deleted, and no work will end it/,
  ],
  [
    'the tags of an artifact are counted wrong',
    changed(artifactCollection, artifact, row => ({ ...row, tag_count: 7 })),
    /has tag_count 7; 1 tags point at it/,
  ],
  [
    'an artifact shows no tags',
    changed(artifactCollection, artifact, row => ({ ...row, tags: [] })),
    /shows 0 tags, 0 of them wrong; it must show 1/,
  ],
  [
    'an artifact has no parents',
    changed(artifactCollection, artifact, row => ({ ...row, parents: [] })),
    /has 0 parents; 1 indexes list it/,
  ],
  [
    'an artifact has another size',
    changed(artifactCollection, artifact, row => ({ ...row, size_bytes: 1 })),
    /has \d+ and 1 bytes; its manifest says otherwise/,
  ],
  [
    'an artifact is of another media type than its manifest',
    changed(artifactCollection, artifact, row => ({ ...row, media_type: ociIndex })),
    /has a manifest that cannot be read: mediaType must equal/,
  ],
  [
    'an artifact is locked until another time',
    changed(artifactCollection, artifact, row => ({ ...row, locked_until: '' })),
    /is locked until never; its locks say 9999/,
  ],
  ['an artifact is gone', deleted(artifactCollection, artifact), /does not exist, but its manifest does/],
  [
    'a manifest is altered',
    changed(manifestCollection, artifact, row => ({ ...row, text: `${row.text} ` })),
    /has a manifest of another digest/,
  ],
  ['a manifest is gone', deleted(manifestCollection, artifact), /has no manifest/],
  [
    'a manifest is left over',
    added(manifestCollection, artifact, row => ({ ...row, id: rowOf(ids.repository, absentDigest) })),
    /does not exist, but its manifest does/,
  ],
  [
    'a tag points at nothing',
    changed(tagCollection, tag, row => ({ ...row, digest: absentDigest })),
    new RegExp(`points at ${absentDigest}, which does not exist`),
  ],
  [
    'a reference is gone',
    deleted(referenceCollection, blobReference),
    new RegExp(`names BLOB ${layer}, which is not recorded`),
  ],
  [
    'a reference names something else',
    changed(referenceCollection, blobReference, row => ({ ...row, target: absentDigest })),
    new RegExp(`is said to name BLOB ${absentDigest}`),
  ],
  [
    'a reference is left over',
    added(referenceCollection, blobReference, row => ({ ...row, id: 'left', digest: absentDigest })),
    /does not exist, but names left/,
  ],
  [
    'the link of a blob is gone',
    deleted(linkCollection, link),
    new RegExp(`names blob ${layer}, which its repository lacks[^]*is LINKED, but no repository has it`),
  ],
  [
    'the link of a blob has another size',
    changed(linkCollection, link, row => ({ ...row, size: 1 })),
    /is linked with 1 bytes, but is LINKED/,
  ],
  [
    'the link of a blob names an absent repository',
    changed(linkCollection, link, row => ({ ...row, repository_id: absentId })),
    /is linked to a repository that does not exist/,
  ],
  ['a blob is gone', deleted(blobCollection, () => layer), /is linked with 9 bytes, but is absent/],
  [
    'a blob of a repository is marked as garbage',
    changed(
      blobCollection,
      () => layer,
      row => ({ ...row, state: 'UNLINKED' as const }),
    ),
    /is UNLINKED, but a repository has it/,
  ],
  [
    'a lock belongs to an absent repository',
    changed(
      lockCollection,
      () => ids.lock,
      row => ({ ...row, repository_id: absentId }),
    ),
    /belongs to repository .*, which does not exist/,
  ],
  [
    'a lock does not protect its artifact',
    deleted(protectedCollection, protectedDigest),
    /does not protect sha256:\w+/,
  ],
  [
    'a lock protects something else',
    changed(protectedCollection, protectedDigest, row => ({ ...row, target: absentDigest })),
    new RegExp(`protects ${absentDigest} without need`),
  ],
  [
    'a lock protects until another time than its own',
    changed(protectedCollection, protectedDigest, row => ({ ...row, expire_time: later })),
    new RegExp(`protects sha256:\\w+ until ${later}, not until its own end`),
  ],
  ['a lock is gone', deleted(lockCollection, () => ids.lock), /protects for lock .*, which does not exist/],
  [
    'an access policy belongs to an absent repository',
    changed(
      policyCollection,
      () => ids.policy,
      row => ({ ...row, repository_id: absentId }),
    ),
    /names repository .*, which its workspace does not have/,
  ],
  [
    'a pull grant names an absent repository',
    changed(
      grantCollection,
      () => ids.grant,
      row => ({ ...row, repository_id: absentId }),
    ),
    /names repository .*, which its workspace does not have/,
  ],
  [
    'the record of a public repository names another one',
    changed(openingCollection, opening, row => ({ ...row, path: 'acme/web/two' })),
    /lets ALL_USERS pull, which is not recorded/,
  ],
  [
    'the record of a public repository names others',
    changed(openingCollection, opening, row => ({ ...row, principal: 'ALL_AUTHENTICATED' })),
    /does not let ALL_AUTHENTICATED pull, but is recorded so/,
  ],
  [
    'a quota limit is not the limit of its bucket',
    changed(
      limitCollection,
      () => ids.limit,
      row => ({ ...row, limit: 2_000_000 }),
    ),
    /holds the limit 1000000; quota limit .* is 2000000/,
  ],
]

describe('the doctor', () => {
  it.each(alterations)('tells that %s', async (_, alter, finding) => {
    const { place } = registry()
    expect(await doctorFindings(place)).toEqual([])
    const restore = await alter()
    const findings = await doctorFindings(place)
    await restore()
    expect(findings.join('\n')).toMatch(finding)
  })

  it('finds nothing once all is as it was', async () => {
    expect(await doctorFindings(registry().place)).toEqual([])
  })
})
