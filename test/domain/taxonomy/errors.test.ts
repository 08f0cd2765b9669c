import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { listQuotas } from '../../../output/taxonomy/routes.ts'
import type { TaxonomyOperation } from '../../../output/taxonomy/types.ts'
import { ApiError, rpcCodes, type RpcCode } from '../../../runtime/errors.ts'
import { send } from '../../../runtime/transport.ts'
import { holdStore } from '../../server/store/left-place.ts'
import { readTable } from '../../specs/tables.ts'
import { TreeMaker } from './platform.ts'
import { scriptedPlatform } from './scripted-platform.ts'

let isBroken = false
const { client, ended, place, script, transport, ...platform } = await scriptedPlatform(undefined, made => [
  made.area('lab', 20_000_000, {
    async purgeWorkspace() {
      if (isBroken) throw new Error('not today')
    },
  }),
])

type Provoke = () => Promise<unknown>

let made = 0
const tree = (): Promise<TreeMaker> => TreeMaker.make(client, `errors-${(made += 1)}`)
const absent = '01900000-0000-7000-8000-000000000000'
const scopeTypes = {
  platform: 'TAXONOMY_SCOPE_TYPE_PLATFORM',
  organisation: 'TAXONOMY_SCOPE_TYPE_ORGANISATION',
  group: 'TAXONOMY_SCOPE_TYPE_GROUP',
  workspace: 'TAXONOMY_SCOPE_TYPE_WORKSPACE',
} as const

async function archivedWorkspace() {
  const grown = await tree()
  const { organisation } = grown
  const id = await grown.workspace('web')
  return { organisation, id, archive: () => client.archiveWorkspace({ organisation, id, body: {} }) }
}

async function deepest(levels: number) {
  const grown = await tree()
  let group = ''
  for (let i = 0; i < levels; i += 1) group = await grown.group(`level-${i}`, group)
  return { grown, group }
}

async function crowd() {
  await client.updateQuota({ id: 'taxonomy.groups', body: { default_limit: -1 } })
  const grown = await tree()
  for (let i = 0; i < 300; i += 1) await grown.group(`child-${i}`)
  return grown
}

/** Makes a call while another process locks the store for longer than the server waits. */
async function whileStoreIsBusy(call: Provoke): Promise<unknown> {
  const free = await holdStore(place, 'taxonomy_organisations')
  return call().finally(free)
}

/** Calls that are refused, keyed by the reason of the refusal. */
const refused: Readonly<Record<string, readonly Provoke[]>> = {
  ENGINE_UNAVAILABLE: [
    () => whileStoreIsBusy(() => client.createOrganisation({ body: { name: 'busy' } }, { retry: false })),
  ],
  ETAG_MISMATCH: [
    async () => {
      const { organisation: id } = await tree()
      return client.suspendOrganisation({ id, body: { etag: 'wrong' } })
    },
  ],
  QUOTA_EXCEEDED: [
    async () => {
      const grown = await tree()
      const scope = { scope_type: scopeTypes.organisation, scope_id: grown.organisation }
      await client.createQuotaOverride({ quota: 'taxonomy.workspaces', body: { ...scope, limit: 0 } })
      return grown.workspace('web')
    },
  ],
  WORKSPACE_NOT_FOUND: [
    async () => client.getWorkspace({ organisation: (await tree()).organisation, id: absent }),
    async () => client.deleteWorkspace({ organisation: (await tree()).organisation, id: absent, force: true }),
  ],
  ROUTE_NOT_FOUND: [() => send(transport, { ...listQuotas, path: ['/taxonomy/v1/nothing'] }, {})],
  FIELD_INVALID: [
    () => client.createOrganisation({ body: { name: 'No Name' } }),
    () => client.createOrganisation({ body: { name: 'owned', owner_principal_id: absent } }),
  ],
  FIELD_IMMUTABLE: [
    async () => {
      const grown = await tree()
      const { organisation } = grown
      const body = { parent_group_id: await grown.group('one') }
      return client.updateGroup({ organisation, id: await grown.group('two'), body })
    },
  ],
  UPDATE_MASK_INVALID: [
    async () => client.updateOrganisation({ id: (await tree()).organisation, update_mask: 'colour', body: {} }),
  ],
  FILTER_INVALID: [() => client.listOrganisations({ filter: 'name = ' })],
  ORDER_BY_INVALID: [() => client.listOrganisations({ order_by: 'colour' })],
  PAGE_TOKEN_INVALID: [() => client.listOrganisations({ page_token: 'made-up' })],
  IDEMPOTENCY_KEY_REUSED: [
    async () => {
      const key = { idempotencyKey: randomUUID() }
      await client.createOrganisation({ body: { name: 'key-one' } }, key)
      return client.createOrganisation({ body: { name: 'key-two' } }, key)
    },
  ],
  OPERATION_NOT_FOUND: [() => client.getOperation({ id: absent })],
  FILTER_SCHEMA_NOT_FOUND: [() => client.getFilterSchema({ resource: 'colours' })],
  INTERNAL: [
    async () => {
      const { archive, id, organisation } = await archivedWorkspace()
      await archive()
      script.holdings = () => Promise.reject(new Error('not for callers'))
      return client.deleteWorkspace({ organisation, id }).finally(() => (script.holdings = undefined))
    },
  ],
  ORGANISATION_NOT_FOUND: [
    () => client.getOrganisation({ id: absent }),
    () => client.createGroup({ organisation: absent, body: { name: 'group' } }),
    () => client.getEffectiveQuota({ organisation: absent, id: 'compute.vms' }),
  ],
  ORGANISATION_ALREADY_EXISTS: [
    async () => {
      await client.createOrganisation({ body: { name: 'twice' } })
      return client.createOrganisation({ body: { name: 'twice' } })
    },
  ],
  ORGANISATION_STATE_INVALID: [async () => client.resumeOrganisation({ id: (await tree()).organisation, body: {} })],
  ORGANISATION_NOT_EMPTY: [
    async () => {
      const grown = await tree()
      await grown.group('group')
      await client.archiveOrganisation({ id: grown.organisation, body: {} })
      return client.deleteOrganisation({ id: grown.organisation })
    },
  ],
  GROUP_NOT_FOUND: [
    async () => client.getGroup({ organisation: (await tree()).organisation, id: absent }),
    async () => client.getGroup({ organisation: (await tree()).organisation, id: await (await tree()).group('other') }),
  ],
  GROUP_ALREADY_EXISTS: [
    async () => {
      const grown = await tree()
      await grown.group('twice')
      return grown.group('twice')
    },
    async () => {
      const grown = await tree()
      const { organisation } = grown
      await grown.group('twice')
      const id = await grown.group('twice', await grown.group('parent'))
      return client.moveGroup({ organisation, id, body: { parent_group_id: '' } })
    },
  ],
  GROUP_STATE_INVALID: [
    async () => {
      const grown = await tree()
      return client.deleteGroup({ organisation: grown.organisation, id: await grown.group('active') })
    },
  ],
  GROUP_NOT_EMPTY: [
    async () => {
      const grown = await tree()
      const { organisation } = grown
      const id = await grown.group('full')
      await grown.workspace('web', id)
      await client.archiveGroup({ organisation, id, body: {} })
      return client.deleteGroup({ organisation, id })
    },
  ],
  GROUP_PARENT_NOT_FOUND: [
    async () => (await tree()).group('group', absent),
    async () => (await tree()).workspace('web', await (await tree()).group('of-others')),
    async () => {
      const grown = await tree()
      const id = await grown.workspace('web')
      return client.moveWorkspace({ organisation: grown.organisation, id, body: { parent_group_id: absent } })
    },
  ],
  GROUP_MOVE_CYCLE: [
    async () => {
      const grown = await tree()
      const id = await grown.group('group')
      return client.moveGroup({ organisation: grown.organisation, id, body: { parent_group_id: id } })
    },
  ],
  GROUP_DEPTH_EXCEEDED: [
    async () => {
      const { grown, group } = await deepest(10)
      return grown.group('too-deep', group)
    },
    async () => {
      const { grown, group } = await deepest(9)
      const id = await grown.group('high')
      await grown.group('low', id)
      return client.moveGroup({ organisation: grown.organisation, id, body: { parent_group_id: group } })
    },
  ],
  GROUP_CHILDREN_EXCEEDED: [
    async () => {
      const grown = await crowd()
      const inner = await grown.group('inner', await firstGroup(grown.organisation))
      await expect(grown.group('one-more')).rejects.toMatchObject({ reason: 'GROUP_CHILDREN_EXCEEDED' })
      return client.moveGroup({ organisation: grown.organisation, id: inner, body: { parent_group_id: '' } })
    },
  ],
  PARENT_NOT_ACTIVE: [
    async () => {
      const grown = await tree()
      await client.suspendOrganisation({ id: grown.organisation, body: {} })
      return grown.workspace('web')
    },
  ],
  WORKSPACE_ALREADY_EXISTS: [
    async () => {
      const grown = await tree()
      await grown.workspace('twice', await grown.group('group'))
      return grown.workspace('twice')
    },
  ],
  WORKSPACE_STATE_INVALID: [
    async () => {
      const { id, organisation } = await archivedWorkspace()
      return client.restoreWorkspace({ organisation, id, body: {} })
    },
  ],
  WORKSPACE_NOT_EMPTY: [
    async () => {
      const { archive, id, organisation } = await archivedWorkspace()
      await platform.addThing(id)
      await archive()
      return client.deleteWorkspace({ organisation, id })
    },
  ],
  WORKSPACE_PROTECTED: [
    async () => {
      const { archive, id, organisation } = await archivedWorkspace()
      await platform.addThing(id, true)
      await archive()
      return client.deleteWorkspace({ organisation, id, force: true })
    },
  ],
  QUOTA_NOT_FOUND: [
    () => client.getQuota({ id: 'compute.dreams' }),
    () => client.listQuotaOverrides({ quota: 'compute.dreams' }),
    async () => client.getEffectiveQuota({ organisation: (await tree()).organisation, id: 'compute.dreams' }),
  ],
  QUOTA_OVERRIDE_NOT_FOUND: [() => client.getQuotaOverride({ quota: 'compute.vms', id: absent })],
  QUOTA_OVERRIDE_ALREADY_EXISTS: [
    async () => {
      const scope = { scope_type: scopeTypes.organisation, scope_id: (await tree()).organisation }
      await client.createQuotaOverride({ quota: 'compute.vms', body: { ...scope, limit: 1 } })
      return client.createQuotaOverride({ quota: 'compute.vms', body: { ...scope, limit: 2 } })
    },
  ],
  QUOTA_OVERRIDE_SCOPE_INVALID: [
    () =>
      client.createQuotaOverride({
        quota: 'compute.vms',
        body: { scope_type: scopeTypes.group, scope_id: absent, limit: 1 },
      }),
    async () => {
      const scope = { scope_type: scopeTypes.workspace, scope_id: await (await tree()).workspace('web') }
      return client.createQuotaOverride({ quota: 'taxonomy.groups', body: { ...scope, limit: 1 } })
    },
    () => {
      const scope = { scope_type: scopeTypes.platform, scope_id: absent }
      return client.createQuotaOverride({ quota: 'compute.vms', body: { ...scope, limit: 1 } })
    },
  ],
  EFFECTIVE_QUOTA_SCOPE_INVALID: [
    async () => {
      const { organisation } = await tree()
      const scope = { scope_type: scopeTypes.organisation, scope_id: (await tree()).organisation }
      return client.getEffectiveQuota({ organisation, id: 'compute.vms', ...scope })
    },
    async () => {
      const { organisation } = await tree()
      return client.getEffectiveQuota({ organisation, id: 'compute.vms', scope_type: scopeTypes.organisation })
    },
    async () => {
      const { organisation } = await tree()
      const scope = { scope_type: scopeTypes.platform, scope_id: absent }
      return client.getEffectiveQuota({ organisation, id: 'compute.vms', ...scope })
    },
  ],
}

async function firstGroup(organisation: string): Promise<string> {
  const { groups } = await client.listGroups({ organisation, page_size: 1 })
  return groups[0]?.id ?? ''
}

/** Functions that return an operation with an error or a warning, keyed by the reason of the error or warning. */
const told: Readonly<Record<string, () => Promise<TaxonomyOperation>>> = {
  async LIFECYCLE_HOOK_FAILED() {
    const { archive, id } = await archivedWorkspace()
    script.reconcile(id, () => {
      throw new Error('not today')
    })
    return ended(await archive())
  },
  async LIFECYCLE_SUPERSEDED() {
    const { archive, id, organisation } = await archivedWorkspace()
    script.reconcile(id, state => state === 'ACTIVE')
    const archived = await archive()
    await client.restoreWorkspace({ organisation, id, body: {} })
    return ended(archived)
  },
  async PURGE_STEP_FAILED() {
    const { archive, id, organisation } = await archivedWorkspace()
    await archive()
    isBroken = true
    const purged = await client.deleteWorkspace({ organisation, id, force: true })
    await expect.poll(async () => (await client.getOperation({ id: purged.id })).warnings.length).toBe(1)
    isBroken = false
    return ended(purged)
  },
  async OVERRIDE_ABOVE_ANCESTOR() {
    const scope = { scope_type: scopeTypes.organisation, scope_id: (await tree()).organisation }
    const grown = await tree()
    await client.createQuotaOverride({
      quota: 'compute.vms',
      body: { ...scope, scope_id: grown.organisation, limit: 1 },
    })
    const group = { scope_type: scopeTypes.group, scope_id: await grown.group('group') }
    return client.createQuotaOverride({ quota: 'compute.vms', body: { ...group, limit: 2 } })
  },
  async LIMIT_BELOW_USAGE() {
    const grown = await tree()
    await grown.workspace('web')
    const scope = { scope_type: scopeTypes.organisation, scope_id: grown.organisation }
    return client.createQuotaOverride({ quota: 'taxonomy.workspaces', body: { ...scope, limit: 0 } })
  },
}

/** The causes why no operation of this area can return a reason, keyed by the reason. */
const impossible: Readonly<Record<string, string>> = {
  ENGINE_NOT_FOUND: 'no path of the area has an engine',
  ENGINE_CAPABILITY_UNSUPPORTED: 'no path of the area has an engine',
  FILTER_UNSUPPORTED: 'no path of the area has an engine',
  WORKSPACE_NOT_ACTIVE: 'nodes answer PARENT_NOT_ACTIVE and *_STATE_INVALID; other areas raise it in their own name',
  RATE_LIMITED: 'calls are not counted',
  OPERATION_CANCELLED: 'no call of the area ends an operation: a later verb supersedes the earlier one',
  OPERATION_DEADLINE_EXCEEDED: 'cascades and purges have no deadline',
}

const table = readTable('errors', ['area', 'reason', 'code', 'rpc']).filter(({ area }) => area === 'taxonomy')
const rowOf = (reason: string) => table.find(row => row.reason === reason)

const isRpcCode = (name: string): name is RpcCode => Object.hasOwn(rpcCodes, name)

it('every error of the table is raised here, reported by an operation, or listed as impossible for this area', () => {
  const known = [refused, told, impossible].flatMap(each => Object.keys(each))
  expect(known.toSorted()).toEqual(table.map(({ reason }) => reason).toSorted())
})

describe.each(Object.entries(refused))('%s', (reason, provocations) => {
  it.each(provocations.map((provoke, i) => [i + 1, provoke] as const))(
    'is returned with its code (%i)',
    async (_, provoke) => {
      const row = rowOf(reason)
      const rpc = row?.rpc ?? ''
      if (!isRpcCode(rpc)) throw new Error(`"${rpc}" is no code of google.rpc`)
      const error: unknown = await provoke().then(
        () => new Error('nothing was refused'),
        (refusal: unknown) => refusal,
      )
      if (!(error instanceof ApiError)) throw error
      const { code, domain, message, response } = error
      expect({ reason: error.reason, code, rpc: error.rpc, domain: domain?.name, status: response?.status }).toEqual({
        reason,
        code: Number(row?.code),
        rpc,
        domain: 'taxonomy',
        status: rpcCodes[rpc],
      })
      expect(message).not.toMatch(/^[A-Z][a-z]|\.$|not for callers/)
    },
  )
})

describe.each(Object.entries(told))('%s', (reason, tell) => {
  it('is in an operation with its code', async () => {
    const { errors, status, warnings } = await tell()
    const code = Number(rowOf(reason)?.code)
    if (rowOf(reason)?.reason === 'LIFECYCLE_HOOK_FAILED') {
      expect(errors).toMatchObject([
        { code, reason, description: expect.stringMatching(/^workspace web .*depot: internal error$/) },
      ])
      expect(status).toBe('TAXONOMY_OPERATION_STATUS_ERROR')
      return
    }
    expect(warnings).toMatchObject([{ code, description: expect.stringMatching(/\S/) }])
    expect(status).toBe('TAXONOMY_OPERATION_STATUS_DONE')
  })
})
