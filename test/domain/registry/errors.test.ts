import { beforeAll, describe, expect, it } from 'vitest'
import { repositoryCollection } from '../../../domain/registry/repositories/repositories-store.ts'
import { Ninefold } from '../../../output/client.ts'
import { createTransport } from '../../../runtime/transport.ts'
import { areas } from '../../../server/areas.ts'
import { storeCollections } from '../../../server/platform-store.ts'
import { absentId } from '../../areas/members.ts'
import { Refusal, testErrors, type RaisedErrors } from '../../areas/raised-errors.ts'
import { openBeside } from '../../server/store/left-place.ts'
import { afterTests } from '../../undo.ts'
import { servedRegistry, type ServedRegistry } from './served-registry.ts'

const engine = 'native'

let registry: Ninefold['registry']
let served: ServedRegistry
let workspace: string
const refusal = new Refusal()
let names = 0

beforeAll(async () => {
  served = await servedRegistry(afterTests)
  ;({ workspace } = served)
  const { accessToken: token, url: baseUrl } = served
  ;({ registry } = new Ninefold(createTransport({ baseUrl, token, retries: 0, fetch: refusal.kept(fetch) })))
})

const at = () => ({ workspace, engine })

/** Creates a repository with a name of its own; returns the members of its path. */
async function fresh() {
  names += 1
  return { ...at(), id: (await registry.createRepository({ ...at(), body: { name: `docs-${names}` } })).resource_id }
}

/** Creates a repository whose deletion is in progress, as after a crash; returns the members of its path. */
async function deleting() {
  const place = await fresh()
  const store = await openBeside(served.place, storeCollections(areas))
  await store.tx(async tx => {
    const stored = await tx.get(repositoryCollection, place.id)
    if (!stored) throw new Error('there is no repository')
    const state = 'REGISTRY_REPOSITORY_STATE_DELETING'
    await tx.update(repositoryCollection, place.id, { ...stored.value, state }, stored.version)
  })
  await store.close()
  return place
}

const limited = { quota_definition_id: 'registry.repositories' }

/** The calls that are refused, keyed by the reason of the refusal. */
const raised: RaisedErrors['raised'] = {
  ENGINE_NOT_FOUND: () => registry.listRepositories({ workspace, engine: 'absent' }),
  ETAG_MISMATCH: async () => registry.deleteRepository({ ...(await fresh()), etag: 'other' }),
  WORKSPACE_NOT_FOUND: () => registry.listRepositories({ workspace: absentId, engine }),
  ROUTE_NOT_FOUND: async () => {
    refusal.status = await (await fetch(`${served.url}/registry/v1/absent`)).json()
  },
  FIELD_INVALID: () => registry.createRepository({ ...at(), body: { name: 'Not A Name' } }),
  FIELD_IMMUTABLE: async () =>
    registry.updateRepository({ ...(await fresh()), update_mask: 'name', body: { name: 'other' } }),
  UPDATE_MASK_INVALID: async () => registry.updateRepository({ ...(await fresh()), update_mask: 'absent', body: {} }),
  FILTER_INVALID: () => registry.listRepositories({ ...at(), filter: 'absent = 1' }),
  ORDER_BY_INVALID: () => registry.listRepositories({ ...at(), order_by: 'absent' }),
  PAGE_TOKEN_INVALID: () => registry.listRepositories({ ...at(), page_token: 'absent' }),
  IDEMPOTENCY_KEY_REUSED: async () => {
    const options = { idempotencyKey: 'of-a-test' }
    await registry.createRepository({ ...at(), body: { name: 'key-one' } }, options)
    return registry.createRepository({ ...at(), body: { name: 'key-two' } }, options)
  },
  OPERATION_NOT_FOUND: () => registry.getOperation({ id: absentId }),
  FILTER_SCHEMA_NOT_FOUND: () => registry.getFilterSchema({ resource: 'absent' }),
  REPOSITORY_NOT_FOUND: () => registry.getRepository({ ...at(), id: absentId }),
  REPOSITORY_NOT_EMPTY: async () => {
    const place = await fresh()
    await served.oci.pushImage(`acme/web/docs-${names}`, 'v1', 'one')
    return registry.deleteRepository(place)
  },
  REPOSITORY_DELETING: async () =>
    registry.updateRepository({ ...(await deleting()), update_mask: 'description', body: { description: 'late' } }),
  QUOTA_LIMIT_NOT_FOUND: () => registry.getQuotaLimit({ workspace, id: absentId }),
  QUOTA_EXCEEDED: async () => {
    const { resource_id: id } = await registry.createQuotaLimit({ workspace, body: { ...limited, limit: 0 } })
    await fresh().catch(() => {})
    await registry.deleteQuotaLimit({ workspace, id })
  },
}

const elsewhere: RaisedErrors['elsewhere'] = {
  ENGINE_CAPABILITY_UNSUPPORTED: 'test/domain/registry/engines/engines.test.ts',
  ENGINE_UNAVAILABLE: 'test/domain/registry/engines/engines.test.ts',
  WORKSPACE_NOT_ACTIVE: 'test/domain/registry/workspaces.test.ts',
  OPERATION_CANCELLED: 'test/domain/registry/scans/automatic.test.ts',
  REPOSITORY_ALREADY_EXISTS: 'test/domain/registry/repositories/repositories.test.ts',
  REPOSITORY_READ_ONLY: 'test/domain/registry/rules/storage-quota.test.ts',
  ARTIFACT_NOT_FOUND: 'test/domain/registry/artifacts.test.ts',
  REFERENCE_INVALID: 'test/domain/registry/artifacts.test.ts',
  ARTIFACT_LOCKED: 'test/domain/registry/rules/locks.test.ts',
  ARTIFACT_REFERENCED: 'test/domain/registry/artifacts.test.ts',
  ARTIFACT_HAS_OTHER_TAGS: 'test/domain/registry/artifacts.test.ts',
  ARTIFACT_KIND_NOT_ALLOWED: 'test/domain/registry/plane/manifests.test.ts',
  ARTIFACT_TOO_LARGE: 'test/domain/registry/plane/manifests.test.ts',
  TAG_NOT_FOUND: 'test/domain/registry/artifacts.test.ts',
  TAG_IMMUTABLE: 'test/domain/registry/plane/manifests.test.ts',
  ACCESS_POLICY_NOT_FOUND: 'test/domain/registry/rules/access-policies.test.ts',
  ACCESS_POLICY_ALREADY_EXISTS: 'test/domain/registry/rules/access-policies.test.ts',
  PRINCIPAL_NOT_FOUND: 'test/domain/registry/rules/access-policies.test.ts',
  PUBLIC_RULE_INVALID: 'test/domain/registry/rules/access-policies.test.ts',
  PULL_GRANT_NOT_FOUND: 'test/domain/registry/rules/pull-grants.test.ts',
  PULL_GRANT_ALREADY_EXISTS: 'test/domain/registry/rules/pull-grants.test.ts',
  GRANTEE_INVALID: 'test/domain/registry/rules/pull-grants.test.ts',
  LOCK_NOT_FOUND: 'test/domain/registry/rules/locks.test.ts',
  LOCK_ALREADY_EXISTS: 'test/domain/registry/rules/locks.test.ts',
  LOCK_HELD: 'test/domain/compute/boot-artifacts.test.ts',
  EXPIRE_TIME_IN_PAST: 'test/domain/registry/rules/locks.test.ts',
  RETENTION_POLICY_NOT_FOUND: 'test/domain/registry/retention/policies.test.ts',
  RETENTION_POLICY_ALREADY_EXISTS: 'test/domain/registry/retention/policies.test.ts',
  RETENTION_RULE_INVALID: 'test/domain/registry/retention/policies.test.ts',
  CRON_INVALID: 'test/domain/registry/retention/policies.test.ts',
  SCAN_POLICY_NOT_FOUND: 'test/domain/registry/scans/scan-policies.test.ts',
  SCAN_POLICY_ALREADY_EXISTS: 'test/domain/registry/scans/scan-policies.test.ts',
  SCANNER_UNKNOWN: 'test/domain/registry/scans/scan-policies.test.ts',
  SCAN_UNSUPPORTED: 'test/domain/registry/scans/scans.test.ts',
  VULNERABILITY_DATABASE_MISSING: 'test/domain/registry/scans/scans.test.ts',
  SCANNER_FAILED: 'test/domain/registry/scans/harbor-adapter.test.ts',
  LAYER_LIMIT_EXCEEDED: 'test/domain/registry/scans/scans.test.ts',
  VULNERABLE_ARTIFACT_BLOCKED: 'test/domain/registry/scans/block-pull.test.ts',
  QUOTA_DEFINITION_NOT_FOUND: 'test/domain/registry/repositories/repositories.test.ts',
  QUOTA_LIMIT_ALREADY_EXISTS: 'test/domain/registry/repositories/repositories.test.ts',
  QUOTA_LIMIT_DIMENSIONS_INVALID: 'test/domain/registry/repositories/repositories.test.ts',
}

const unraised: RaisedErrors['unraised'] = {
  FILTER_UNSUPPORTED: 'both engines filter by every declared field, because the platform has the rows',
  RATE_LIMITED: 'the server raises it for every area alike',
  INTERNAL: 'a defect, which the server answers for every area alike',
  OPERATION_DEADLINE_EXCEEDED: 'the runner of operations raises it for every area alike',
  LIMIT_BELOW_USAGE: 'a warning; the last test has it',
}

describe('the errors of the registry', () => {
  testErrors('registry', refusal, { elsewhere, raised, unraised })

  it('include a warning of a limit below the usage', async () => {
    await fresh()
    const made = await registry.createQuotaLimit({ workspace, body: { ...limited, limit: 0 } })
    expect(made).toMatchObject({ warnings: [{ code: 5_011_090 }] })
  })
})
