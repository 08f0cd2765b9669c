import { describe, expect, it } from 'vitest'
import type { ScanPolicyInput } from '../../../../output/registry/types.ts'
import { endingSoon } from '../ending-soon.ts'
import { faultOf } from '../oci-client.ts'
import { layerOf } from './fake-scanner.ts'
import { scannedRegistry } from './scanned-registry.ts'

const registry = scannedRegistry()

const at = () => ({ workspace: registry().workspace, engine: 'native' })

const severity = 'REGISTRY_SEVERITY_HIGH'

const advisories = [
  { id: 'GHSA-1', aliases: ['CVE-1'], package: 'lib', severity: 'REGISTRY_SEVERITY_CRITICAL' },
  { id: 'GHSA-2', package: 'lib', severity: 'REGISTRY_SEVERITY_MEDIUM', fixed: '2' },
] as const

/** Makes a policy for one repository, and returns a function that changes it. */
async function policyFor(name: string, body: Partial<ScanPolicyInput>) {
  const { api } = registry()
  const whole = { name: `for-${name.replace('?', 'x')}`, repository_patterns: [name], ...body }
  const { resource_id: id } = await api.registry.createScanPolicy({ ...at(), body: whole })
  return {
    id,
    change: (change: Partial<ScanPolicyInput>) =>
      api.registry.updateScanPolicy({ ...at(), id, update_mask: Object.keys(change).join(','), body: change }),
  }
}

const pull = async (name: string, reference = 'v1', method = 'GET') => {
  const { oci } = registry()
  return faultOf(await oci.send(`/v2/acme/web/${name}/manifests/${reference}`, { method }))
}

const blocked = '403 DENIED VULNERABLE_ARTIFACT_BLOCKED'

describe('a scan policy that blocks pulls', () => {
  it('refuses GET and not HEAD of a digest with findings that are bad enough, at the moment of each call', async () => {
    const { oci, repository, scan, report, scanner } = registry()
    scanner.load(advisories)
    const id = await repository('vulnerable')
    await oci.pushImage('acme/web/vulnerable', 'v1', layerOf('lib@1'))
    await scan(id, 'v1')
    expect(await pull('vulnerable')).toBe('200')
    const { change } = await policyFor('vulnerable', { block_pull: { min_severity: severity } })
    expect(await pull('vulnerable')).toBe(blocked)
    expect(await pull('vulnerable', 'v1', 'HEAD')).toBe('200')
    const answer = await oci.send('/v2/acme/web/vulnerable/manifests/v1')
    expect(answer.json).toMatchObject({
      errors: [{ detail: { reason: 'VULNERABLE_ARTIFACT_BLOCKED', severity: 'REGISTRY_SEVERITY_CRITICAL' } }],
    })
    expect((await report(id, 'v1')).blocked).toBe(true)
    await change({ enabled: false })
    expect(await pull('vulnerable')).toBe('200')
    expect((await report(id, 'v1')).blocked).toBe(false)
  })

  it('records each refusal, and no HEAD, as an audit event', async () => {
    const { api, oci, repository, scan, scanner, workspace } = registry()
    scanner.load(advisories)
    const id = await repository('recorded')
    await oci.pushImage('acme/web/recorded', 'v1', layerOf('lib@1'))
    const { digest } = await scan(id, 'v1')
    await policyFor('recorded', { block_pull: { min_severity: severity } })
    for (const [reference, method] of [
      ['v1', 'HEAD'],
      ['v1', 'GET'],
      [digest, 'GET'],
    ] as const)
      await pull('recorded', reference, method)
    const filter = `action=REGISTRY_AUDIT_ACTION_PULL AND repository_id="${id}"`
    const { audit_events } = await api.registry.listAuditEvents({ workspace, filter })
    const refusal = {
      outcome: 'REGISTRY_AUDIT_OUTCOME_DENIED',
      reason: 'VULNERABLE_ARTIFACT_BLOCKED',
      digest,
      bytes: 0,
    }
    expect(audit_events.toSorted((a, b) => a.tag.localeCompare(b.tag))).toMatchObject([
      { ...refusal, tag: '' },
      { ...refusal, tag: 'v1' },
    ])
  })

  it('counts only fixable findings if it says so', async () => {
    const { oci, repository, scan, scanner } = registry()
    scanner.load(advisories)
    const id = await repository('fixable')
    await oci.pushImage('acme/web/fixable', 'v1', layerOf('lib@1'))
    await scan(id, 'v1')
    const block_pull = { min_severity: severity, only_fixable: true } as const
    const { change } = await policyFor('fixable', { block_pull })
    expect(await pull('fixable')).toBe('200')
    await change({ block_pull: { ...block_pull, min_severity: 'REGISTRY_SEVERITY_MEDIUM' } })
    expect(await pull('fixable')).toBe(blocked)
  })

  it('excepts findings by id or alias and package until the exception ends', async () => {
    const { oci, repository, report, scan, scanner } = registry()
    scanner.load(advisories)
    const id = await repository('excepted')
    await oci.pushImage('acme/web/excepted', 'v1', layerOf('lib@1'))
    await scan(id, 'v1')
    const policy = await policyFor('excepted', {
      block_pull: { min_severity: severity },
      exceptions: [{ vulnerability_id: 'CVE-1', reason: 'unreachable', package: 'other' }],
    })
    expect(await pull('excepted')).toBe(blocked)
    await policy.change({ exceptions: [{ vulnerability_id: 'CVE-1', reason: 'unreachable', package: 'lib' }] })
    expect(await pull('excepted')).toBe('200')
    expect(await report(id, 'v1')).toMatchObject({
      blocked: false,
      summary: { critical: 1, excepted: 1 },
      vulnerabilities: [{ excepted_by: policy.id }, { excepted_by: '' }],
    })
    const until = (expire_time: string) =>
      policy.change({ exceptions: [{ vulnerability_id: 'GHSA-1', reason: 'for now', expire_time }] })
    await until('2999-01-01T00:00:00Z')
    expect(await pull('excepted')).toBe('200')
    await endingSoon(until)
    await expect.poll(() => pull('excepted')).toBe(blocked)
    expect((await report(id, 'v1')).summary).toMatchObject({ excepted: 0 })
  })

  it('refuses images without a report if it says so, and not what is no image', async () => {
    const { oci, repository, scan, scanner } = registry()
    scanner.load([])
    const id = await repository('unscanned')
    await oci.pushImage('acme/web/unscanned', 'v1', layerOf('lib@1'))
    await policyFor('unscanned', { block_pull: { block_unscanned: true } })
    expect(await pull('unscanned')).toBe(blocked)
    const answer = await oci.send('/v2/acme/web/unscanned/manifests/v1')
    expect(answer.json).toMatchObject({ errors: [{ detail: { reason: 'VULNERABLE_ARTIFACT_BLOCKED' } }] })
    expect(JSON.stringify(answer.json)).not.toContain('severity"')
    const { sbom } = await scan(id, 'v1')
    expect(await pull('unscanned')).toBe('200')
    expect(await pull('unscanned', sbom?.digest)).toBe('200')
  })

  it('counts alone: of several that match, that of the highest priority, then the oldest', async () => {
    const { oci, repository, scan, scanner } = registry()
    scanner.load(advisories)
    const id = await repository('ranked')
    await oci.pushImage('acme/web/ranked', 'v1', layerOf('lib@1'))
    await scan(id, 'v1')
    await policyFor('ranked', { block_pull: { min_severity: severity } })
    expect(await pull('ranked')).toBe(blocked)
    const younger = await policyFor('ranke?', {})
    expect(await pull('ranked')).toBe(blocked)
    await younger.change({ priority: 1 })
    expect(await pull('ranked')).toBe('200')
  })
})
