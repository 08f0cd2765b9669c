import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { QuotaName } from '../../../../domain/observability/quotas/definitions.ts'
import { limitCollection, limitId } from '../../../../domain/observability/quotas/limits-store.ts'
import { areas } from '../../../../server/areas.ts'
import { observabilitySettings } from '../../../../server/observability/settings.ts'
import { storeCollections } from '../../../../server/platform-store.ts'
import { GivenSettings } from '../../../../server/settings/values.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { absentId, addMember, addTenant, roleAt, type Member, type Tenant } from '../../../areas/members.ts'
import { olderPlace } from '../../../areas/older-place.ts'
import { testPlatform, type TestPlatform } from '../../../areas/test-platform.ts'
import { whileOpen } from '../../../areas/while-open.ts'
import { openBeside, testStorePlace } from '../../../server/store/left-place.ts'
import { outcomeOf } from '../../outcomes.ts'
import { afterTests } from '../../../undo.ts'

/** The definitions of observability.md 1, with their units, counted things and default limits. */
const defined = [
  ['observability.activeSeries', '1', 'observability.metrics', 100_000],
  ['observability.alertRules', '1', 'observability.alertRules', 200],
  ['observability.concurrentQueries', '1', 'observability.metrics', 8],
  ['observability.ingestionConfigs', '1', 'observability.ingestionConfigs', 20],
  ['observability.logBytesPerSecond', 'By/s', 'observability.logs', 5_242_880],
  ['observability.logSinks', '1', 'observability.logSinks', 20],
  ['observability.logStreams', '1', 'observability.logs', 5_000],
  ['observability.samplesPerSecond', '1/s', 'observability.metrics', 20_000],
  ['observability.silences', '1', 'observability.silences', 500],
  ['observability.spansPerSecond', '1/s', 'observability.traces', 2_000],
] as const

let platform: TestPlatform
let admin: Member
let acme: Tenant
let other: Tenant
let viewer: Member

beforeAll(async () => {
  platform = await testPlatform({ later: afterTests })
  admin = await platform.admin()
  acme = await addTenant(admin.api, 'acme')
  other = await addTenant(admin.api, 'other')
  viewer = await addMember(platform, admin.api, {
    email: 'vera@acme.example',
    organisation_id: acme.organisation,
    grants: [roleAt('workspace-viewer', 'WORKSPACE', acme.workspace)],
  })
})

const limitsIn = async (by: Member, workspace: string) =>
  (await by.api.observability.listQuotaLimits({ filter: `scope_id = "${workspace}"` })).quota_limits

describe('quota definitions', () => {
  it('are those of the area, for every signed-in caller', async () => {
    const { quota_definitions: listed } = await viewer.api.observability.listQuotaDefinitions()
    expect(listed.map(each => [each.id, each.unit, each.resource_type, each.default_limit])).toEqual(defined)
    for (const { dimensions, scope_type } of listed)
      expect([scope_type, dimensions]).toEqual(['OBSERVABILITY_SCOPE_TYPE_WORKSPACE', []])
  })

  it('are found by their ids alone', async () => {
    const { observability } = viewer.api
    expect(await observability.getQuotaDefinition({ id: 'observability.silences' })).toMatchObject({
      display_name: 'Silences',
      default_limit: 500,
    })
    await expect(observability.getQuotaDefinition({ id: 'observability.none' })).rejects.toMatchObject({
      reason: 'QUOTA_DEFINITION_NOT_FOUND',
    })
  })
})

describe('quota limits', () => {
  it('are born with their workspace, with the default of each definition', async () => {
    const listed = await limitsIn(viewer, acme.workspace)
    expect(listed.map(each => [each.quota_definition_id, each.limit])).toEqual(
      defined.map(([id, , , limit]) => [id, limit]),
    )
    for (const limit of listed) {
      expect(limit).toMatchObject({ scope_type: 'OBSERVABILITY_SCOPE_TYPE_WORKSPACE', scope_id: acme.workspace })
      expect(limit).not.toHaveProperty('source')
      expect(await viewer.api.observability.getQuotaLimit({ id: limit.id })).toEqual(limit)
    }
  })

  it('have the UUIDv5 of their definition in the namespace of their workspace', () => {
    // The example of RFC 9562, appendix A.4.
    expect(limitId('www.example.com', '6ba7b810-9dad-11d1-80b4-00c04fd430c8')).toBe(
      '2ed6657d-e927-568b-95e1-2665a8aea6a2',
    )
  })

  it('are listed at the scopes of the caller alone', async () => {
    expect(await limitsIn(viewer, other.workspace)).toEqual([])
    expect(await limitsIn(admin, other.workspace)).toHaveLength(10)
    const { quota_limits: seen } = await viewer.api.observability.listQuotaLimits({ page_size: 100 })
    expect(new Set(seen.map(({ scope_id }) => scope_id))).toEqual(new Set([acme.workspace]))
    const stranger = await addMember(platform, admin.api, {
      email: 'sam@other.example',
      organisation_id: other.organisation,
      grants: [],
    })
    expect(await outcomeOf(stranger.api.observability.listQuotaLimits())).toBe('IAM_PERMISSION_DENIED')
  })

  it('tell only callers with the permission for the platform that a limit does not exist', async () => {
    const absent = limitId('observability.silences', absentId)
    const foreign = limitId('observability.silences', other.workspace)
    const denied = async (id: string) => {
      const headers = { authorization: `Bearer ${viewer.token}` }
      const url = `http://platform.test/observability/v1/quota-limits/${id}`
      return (await platform.from('192.0.2.9')(url, { headers })).text()
    }
    expect(await outcomeOf(viewer.api.observability.getQuotaLimit({ id: absent }))).toBe('IAM_PERMISSION_DENIED')
    expect(await denied(absent)).toBe(await denied(foreign))
    expect(await outcomeOf(admin.api.observability.getQuotaLimit({ id: absent }))).toBe('QUOTA_LIMIT_NOT_FOUND')
  })

  it('leave with their workspace', async () => {
    const { organisation, workspace } = await addTenant(admin.api, 'short-lived')
    expect(await limitsIn(admin, workspace)).toHaveLength(10)
    await admin.api.taxonomy.archiveWorkspace({ organisation, id: workspace, body: {} })
    await admin.api.taxonomy.deleteWorkspace({ organisation, id: workspace })
    await expect.poll(() => limitsIn(admin, workspace)).toEqual([])
  })
})

describe('the setting observability.limits', () => {
  it('decides at each start, and its end brings the defaults back', async () => {
    const place = await testStorePlace()
    const { workspace } = await whileOpen(place, api => addTenant(api, 'acme'))
    const limitsWith = (of: string, limits: Partial<Record<QuotaName, number>>) => {
      const given = new GivenSettings().with(observabilitySettings['observability.limits'], new Map([[of, limits]]))
      return whileOpen({ ...place, given }, async api => {
        const { quota_limits: all } = await api.observability.listQuotaLimits({ filter: `scope_id = "${workspace}"` })
        const names = ['observability.alertRules', 'observability.silences']
        return all.filter(each => names.includes(each.quota_definition_id)).map(({ limit }) => limit)
      })
    }
    expect(await limitsWith(workspace, { alertRules: 7 })).toEqual([7, 500])
    expect(await limitsWith(workspace, { alertRules: 8, silences: -1 })).toEqual([8, -1])
    expect(await doctorFindings(place)).toEqual([])
    expect(await limitsWith(absentId, { alertRules: 8 })).toEqual([200, 500])
    expect(await doctorFindings(place)).toEqual([])
  })
})

describe('a store from before the limits', () => {
  it('gets the limits of its workspaces at the next start', async () => {
    const { filled, place } = await olderPlace(['iam', 'taxonomy'], api => addTenant(api, 'acme'))
    await whileOpen(place, async api => {
      const limits = async () =>
        (await api.observability.listQuotaLimits({ filter: `scope_id = "${filled.workspace}"` })).quota_limits
      await expect.poll(limits).toHaveLength(10)
    })
    expect(await doctorFindings(place)).toEqual([])
  })
})

describe('the doctor', () => {
  it('names limits that contradict their definition, their id or the limits of their workspace', async () => {
    const place = await testStorePlace()
    const { workspace } = await whileOpen(place, api => addTenant(api, 'acme'))
    const store = await openBeside(place, storeCollections(areas))
    onTestFinished(() => store.close())
    const [changed, lost] = ['observability.silences', 'observability.logSinks'].map(each => limitId(each, workspace))
    await store.tx(async tx => {
      const stored = await tx.get(limitCollection, changed ?? '')
      const gone = await tx.get(limitCollection, lost ?? '')
      if (!stored || !gone) throw new Error('the workspace has no limits')
      await tx.update(limitCollection, stored.id, { ...stored.value, limit: 9 }, stored.version)
      await tx.delete(limitCollection, gone.id, gone.version)
      const strange = { ...gone.value, id: limitId('observability.none', workspace), source: 'SETTING' } as const
      await tx.insert(limitCollection, { ...strange, quota_definition_id: 'observability.none' })
      await tx.insert(limitCollection, { ...strange, id: limitId('observability.silences', absentId) })
    })
    expect((await doctorFindings(place)).toSorted()).toEqual(
      [
        `observability.quotaLimits ${changed}: is 9, but the default limit of observability.silences is 500`,
        `observability.quotaLimits ${limitId('observability.none', workspace)}: is a limit of observability.none, which is no quota definition`,
        `observability.quotaLimits ${limitId('observability.silences', absentId)}: has the definition observability.logSinks and the scope ${workspace}, which contradict its id`,
        `observability.quotaLimits ${workspace}: workspace ${workspace} has 11 limits instead of 10`,
      ].toSorted(),
    )
  })
})
