import { expect, it } from 'vitest'
import type { Ninefold } from '../../../../output/client.ts'
import { observabilitySettings } from '../../../../server/observability/settings.ts'
import { GivenSettings } from '../../../../server/settings/values.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { addTenant } from '../../../areas/members.ts'
import { seeded } from '../../../areas/random.ts'
import { mutationCount } from '../../../areas/random-mutations.ts'
import { whileOpen } from '../../../areas/while-open.ts'
import { testStorePlace } from '../../../server/store/left-place.ts'
import { outcomeOf } from '../../outcomes.ts'
import { AreaModel, smallLimits } from './area-model.ts'

/** Returns the resources of a workspace as the lists show them, in the order of their names or ids. */
async function listed({ observability }: Ninefold, workspace: string) {
  const at = { workspace, engine: 'native', page_size: 100 }
  const silences = []
  for await (const { id, state } of observability.iterateSilences({ workspace, page_size: 100 }))
    silences.push([id, state === 'OBSERVABILITY_SILENCE_STATE_EXPIRED'] as const)
  const { retention_policies } = await observability.listRetentionPolicies({ ...at, filter: 'is_default = false' })
  const { alert_rules } = await observability.listAlertRules(at)
  const { ingestion_configs } = await observability.listIngestionConfigs(at)
  const { log_sinks } = await observability.listLogSinks(at)
  const { quota_limits } = await observability.listQuotaLimits({ filter: `scope_id = "${workspace}"` })
  return {
    silences: silences.toSorted(),
    policies: retention_policies.map(each => [each.name, each.selector, each.retention, each.state]).toSorted(),
    rules: alert_rules.map(({ name }) => name).toSorted(),
    configs: ingestion_configs.map(({ enabled, name }) => [name, enabled] as const).toSorted(),
    sinks: log_sinks.map(({ enabled, name }) => [name, enabled] as const).toSorted(),
    usage: quota_limits
      .filter(({ quota_definition_id }) => /alertRules|ingestionConfigs|logSinks|silences/.test(quota_definition_id))
      .map(({ usage }) => usage),
  }
}

const expectedOf = ({ configs, openSilences, policies, rules, silences, sinks }: AreaModel) => ({
  silences: silences.map(({ id, isOver }) => [id, isOver]).toSorted(),
  policies: policies
    .filter(({ isDefault }) => !isDefault)
    .map(each => [each.name, each.selector, each.retention, each.state])
    .toSorted(),
  rules: rules.map(({ name }) => name).toSorted(),
  configs: configs.map(({ enabled, name }) => [name, enabled]).toSorted(),
  sinks: sinks.map(({ enabled, name }) => [name, enabled]).toSorted(),
  usage: [rules.length, configs.length, sinks.length, openSilences],
})

it('random calls have the outcomes of a model', { timeout: 120_000 + mutationCount * 100 }, async () => {
  const place = await testStorePlace()
  const tenant = await whileOpen(place, api => addTenant(api, 'acme'))
  const limits = new Map([[tenant.workspace, smallLimits]])
  const given = new GivenSettings().with(observabilitySettings['observability.limits'], limits)
  await whileOpen({ ...place, given }, async api => {
    const { workspace } = tenant
    const at = { workspace, engine: 'native' }
    const { retention_policies: defaults } = await api.observability.listRetentionPolicies(at)
    const model = new AreaModel(
      api,
      tenant,
      seeded(2_707),
      defaults.map(({ id }) => id),
    )
    const outcomes = new Set<string>()
    for (let step = 0; step < mutationCount; step += 1) {
      const { call, expected, name, then } = model.next()
      const called = call()
      const outcome = await outcomeOf(called)
      expect([step, name, outcome]).toEqual([step, name, expected])
      if (outcome === 'OK') then(await called)
      outcomes.add(outcome)
      if (step % 50 === 49) expect(await listed(api, workspace)).toEqual(expectedOf(model))
    }
    expect(await listed(api, workspace)).toEqual(expectedOf(model))
    expect([...outcomes]).toEqual(expect.arrayContaining(['OK', 'QUOTA_EXCEEDED', 'WORKSPACE_NOT_ACTIVE']))
  })
  expect(await doctorFindings(place)).toEqual([])
})
