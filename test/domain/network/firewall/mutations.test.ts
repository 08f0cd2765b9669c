import { describe, expect, it } from 'vitest'
import { doctorFindings } from '../../../areas/doctor.ts'
import { mutationCount, randomMutations } from '../../../areas/random-mutations.ts'
import { addTenant } from '../../../areas/members.ts'
import { addRegions } from '../../../areas/regions.ts'
import { testPlatform } from '../../../areas/test-platform.ts'
import { firewallKinds } from '../random-kinds.ts'

describe('after random mutations of firewall policies', () => {
  it('the doctor finds nothing', { timeout: 120_000 + mutationCount * 100 }, async () => {
    const platform = await testPlatform()
    const { api } = await platform.admin()
    const tenant = await addTenant(api, 'acme')
    await addRegions(api, ['local2', 'local3'])
    const make = (given: typeof api) => firewallKinds(given, tenant)
    const outcomes = await randomMutations({ seed: 17, count: mutationCount, api, make })
    const done = [...outcomes.keys()].filter(key => !key.startsWith('workspace') && key.endsWith(': DONE'))
    expect(done.toSorted()).toEqual(
      ['VPC', 'firewall policy', 'firewall rule', 'subnet'].flatMap(kind =>
        ['create', 'delete', 'update'].map(verb => `${kind} ${verb}: DONE`),
      ),
    )
    // Only a long run is certain to meet every refusal. Quotas are missing here, because the run never reaches their
    // limits.
    const taken = ['NOT_FOUND', 'ALREADY_EXISTS', 'PRIORITY_TAKEN']
    const refusals = [
      ...taken.map(end => `FIREWALL_POLICY_${end}`),
      ...taken.map(end => `FIREWALL_RULE_${end}`),
      'FIREWALL_RULE_INVALID',
      'VPC_IN_USE',
      'ETAG_MISMATCH',
    ]
    for (const reason of mutationCount < 5000 ? [] : refusals) {
      expect([...outcomes.keys()].join('\n')).toContain(reason)
    }
    expect(await doctorFindings(platform.config)).toEqual([])
  })
})
