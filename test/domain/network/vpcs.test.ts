import { beforeAll, describe, expect, it } from 'vitest'
import { addTenant, type Tenant } from '../../areas/members.ts'
import { testPlatform, type TestPlatform } from '../../areas/test-platform.ts'
import type { Ninefold } from '../../../output/client.ts'
import { afterTests } from '../../undo.ts'

let api: Ninefold
let platform: TestPlatform
let tenant: Tenant

beforeAll(async () => {
  platform = await testPlatform({ later: afterTests })
  api = (await platform.admin()).api
  tenant = await addTenant(api, 'acme')
})

const engine = 'native'
const region = 'local1'

const createVpc = (name: string, more: object = {}) =>
  api.network.createVpc({
    workspace: tenant.workspace,
    engine,
    body: { name, region, cidr_blocks: ['10.20.0.0/16'], ...more },
  })

describe('a VPC', () => {
  it('is created, read, listed, changed and deleted', async () => {
    const { workspace } = tenant
    const operation = await createVpc('net-1')
    expect(operation).toMatchObject({
      resource_type: 'network.vpcs',
      operation_type: 'NETWORK_OPERATION_TYPE_CREATE',
      status: 'NETWORK_OPERATION_STATUS_DONE',
      scope_type: 'NETWORK_SCOPE_TYPE_WORKSPACE',
      scope_id: workspace,
    })
    const { resource_id: id } = operation
    const vpc = await api.network.getVpc({ workspace, engine, id })
    expect(vpc).toMatchObject({ id, workspace_id: workspace, engine, name: 'net-1', mtu: 1500, subnet_count: 0 })
    const { vpcs } = await api.network.listVpcs({ workspace, engine })
    expect(vpcs).toEqual([vpc])
    await api.network.updateVpc({
      workspace,
      engine,
      id,
      update_mask: 'mtu',
      body: { mtu: 9000 - 100, etag: vpc.etag },
    })
    expect(await api.network.getVpc({ workspace, engine, id })).toMatchObject({
      mtu: 8900,
      etag: expect.not.stringMatching(vpc.etag),
    })
    await api.network.deleteVpc({ workspace, engine, id })
    await expect(api.network.getVpc({ workspace, engine, id })).rejects.toMatchObject({ reason: 'VPC_NOT_FOUND' })
  })
})

describe('the quota of VPCs', () => {
  it('refuses the sixth VPC of a region, and applies a changed limit', async () => {
    for (let i = 0; i < 5; i += 1) await createVpc(`vpc-${i}`)
    await expect(createVpc('vpc-5')).rejects.toMatchObject({
      reason: 'QUOTA_EXCEEDED',
      code: 3000006,
      metadata: { quota: 'network.vpcs', limit: '5', usage: '5', requested: '1', region },
    })
    const { resource_id: id } = await api.network.createQuotaLimit({
      quota_definition: 'network.vpcs',
      body: {
        scope_type: 'NETWORK_SCOPE_TYPE_WORKSPACE',
        scope_id: tenant.workspace,
        dimensions: { region },
        limit: 6,
      },
    })
    await createVpc('vpc-5')
    expect(await api.network.getQuotaLimit({ quota_definition: 'network.vpcs', id })).toMatchObject({
      limit: 6,
      usage: 6,
    })
    await api.network.deleteQuotaLimit({ quota_definition: 'network.vpcs', id })
    await expect(createVpc('vpc-6')).rejects.toMatchObject({ reason: 'QUOTA_EXCEEDED' })
  })
})
