import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { vpcCollection } from '../../../domain/network/vpcs-store.ts'
import { quotaLimitKind, quotas } from '../../../domain/network/quotas.ts'
import type { Transaction } from '../../../domain/ports/store.ts'
import { references } from '../../../domain/resources/references.ts'
import type { Ninefold } from '../../../output/client.ts'
import { areas } from '../../../server/areas.ts'
import { storeCollections, type StorePlace } from '../../../server/platform-store.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { mutationCount, randomMutations } from '../../areas/random-mutations.ts'
import { addRegions } from '../../areas/regions.ts'
import { whileOpen } from '../../areas/while-open.ts'
import { addTenant } from '../../areas/members.ts'
import { testPlatform } from '../../areas/test-platform.ts'
import { copyPlace, openBeside, runSql, testStorePlace } from '../../server/store/left-place.ts'
import { copy, patch, remove } from '../taxonomy/broken-store.ts'
import { areasWithMachines } from './machines/machine-area.ts'
import { networkKinds } from './random-kinds.ts'
import { afterTests } from '../../undo.ts'

describe('after random mutations', () => {
  it('the doctor finds nothing', { timeout: 120_000 + mutationCount * 100 }, async () => {
    const platform = await testPlatform({ areas: areasWithMachines })
    const { api } = await platform.admin()
    const tenant = await addTenant(api, 'acme')
    await addRegions(api, ['local2', 'local3'])
    const outcomes = await randomMutations({
      seed: 14,
      count: mutationCount,
      api,
      make: given => networkKinds(given, tenant),
    })
    const done = [...outcomes.keys()].filter(key => !key.startsWith('workspace') && key.endsWith(': DONE'))
    expect(done.toSorted()).toEqual(
      ['VPC', 'machine', 'quota limit', 'subnet'].flatMap(kind =>
        ['create', 'delete', 'update'].map(verb => `${kind} ${verb}: DONE`),
      ),
    )
    // The seed does not determine the end of a purge, so only a long run is certain to meet every refusal.
    const refusals =
      'VPC_NOT_FOUND VPC_ALREADY_EXISTS VPC_IN_USE VPC_CIDR_IN_USE ETAG_MISMATCH QUOTA_EXCEEDED SUBNET_IN_USE ' +
      'SUBNET_EXHAUSTED SUBNET_CIDR_OVERLAP SUBNET_RESERVED_RANGE_INVALID IP_ADDRESS_IN_USE IP_ADDRESS_NOT_ASSIGNABLE'
    for (const reason of mutationCount < 5000 ? [] : refusals.split(' ')) {
      expect([...outcomes.keys()].join('\n')).toContain(reason)
    }
    expect(await doctorFindings(platform.config, areasWithMachines)).toEqual([])
  })
})

describe('the doctor', () => {
  let left: StorePlace
  let ids: { readonly vpc: string; readonly limit: string; readonly workspace: string }
  let bucket: string

  beforeAll(async () => {
    left = await testStorePlace(afterTests)
    ids = await whileOpen(left, fill)
    bucket = `network.vpcs/${ids.workspace}/{"region":"local1"}`
  })

  async function fill(api: Ninefold) {
    const { workspace } = await addTenant(api, 'acme')
    const body = { name: 'net', region: 'local1', cidr_blocks: ['10.20.0.0/16'] }
    const { resource_id: vpc } = await api.network.createVpc({ workspace, engine: 'native', body })
    const scope = { scope_type: 'NETWORK_SCOPE_TYPE_WORKSPACE', scope_id: workspace } as const
    const limited = { ...scope, dimensions: { region: 'local1' }, limit: 7 }
    const made = await api.network.createQuotaLimit({ quota_definition: 'network.vpcs', body: limited })
    return { vpc, limit: made.resource_id, workspace }
  }

  const tampered: readonly (readonly [string, (tx: Transaction) => Promise<unknown>, () => readonly string[]])[] = [
    [
      'a bucket with another limit',
      tx => patch(tx, quotas.buckets, bucket, { limit: 9 }),
      () => [`network.quotaBuckets ${bucket}: holds the limit 9; quota limit ${ids.limit} is 7`],
    ],
    [
      'a bucket that forgot its limit',
      tx => patch(tx, quotas.buckets, bucket, { limit_id: '', limit: 0 }),
      () => [`network.quotaLimits ${ids.limit}: has no effect, because its bucket ${bucket} names no limit`],
    ],
    [
      'a bucket that is gone',
      tx => remove(tx, quotas.buckets, bucket),
      () => [`network.quotaLimits ${ids.limit}: has no effect, because its bucket ${bucket} does not exist`],
    ],
    [
      'a limit that is gone',
      tx => remove(tx, quotaLimitKind.collection, ids.limit),
      () => [`network.quotaBuckets ${bucket}: names the limit ${ids.limit}, which does not exist`],
    ],
    [
      'a limit that is there twice',
      tx => copy(tx, quotaLimitKind.collection, ids.limit, { id: ids.vpc }),
      () => [`network.quotaLimits ${ids.vpc}: has no effect, because its bucket ${bucket} names ${ids.limit}`],
    ],
    [
      'a limit of another bucket',
      tx => patch(tx, quotaLimitKind.collection, ids.limit, { dimensions: { region: 'local2' } }),
      () => [
        `network.quotaLimits ${ids.limit}: has no effect, because its bucket ${bucket.replace('local1', 'local2')} does not exist`,
        `network.quotaBuckets ${bucket}: names the limit ${ids.limit}, which belongs to another bucket`,
      ],
    ],
    [
      'a bucket of no definition',
      tx => patch(tx, quotas.buckets, bucket, { definition_id: 'network.nothing' }),
      () => [`network.quotaBuckets ${bucket}: counts for network.nothing, which is no quota definition`],
    ],
    [
      'a bucket of another scope',
      tx => patch(tx, quotas.buckets, bucket, { scope_id: 'elsewhere' }),
      () => [
        `network.quotaBuckets ${bucket}: has the definition network.vpcs and the scope elsewhere, which contradict its id`,
      ],
    ],
    [
      'a reference whose ends are deleted',
      tx =>
        tx.insert(references, {
          id: 'r',
          target_type: 'network.vpcs',
          target_id: ids.vpc,
          holder_type: 'network.vpcs',
          holder_id: 'gone',
        }),
      () => [
        'ninefold.references r: has the holder network.vpcs gone, which does not exist; the reference must be deleted too',
      ],
    ],
  ]

  it.each(tampered)('names %s', async (_, change, expected) => {
    const place = await copyPlace(left, storeCollections(areas), onTestFinished)
    const store = await openBeside(place, storeCollections(areas))
    await store.tx(change)
    await store.close()
    expect(await doctorFindings(place)).toEqual(expected())
  })

  it('names a VPC whose column differs from its document', async () => {
    const place = await copyPlace(left, storeCollections(areas), onTestFinished)
    await runSql(place, `UPDATE ${vpcCollection.name} SET region = 'local9'`)
    expect(await doctorFindings(place)).toEqual([
      `${vpcCollection.name} ${ids.vpc}: has columns that are not what its document says; filters and look-ups go by the columns`,
    ])
  })
})
