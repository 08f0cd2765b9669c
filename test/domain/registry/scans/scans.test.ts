import { describe, expect, it } from 'vitest'
import { doctorFindings } from '../../../areas/doctor.ts'
import { ociImage, ociIndex } from '../oci-client.ts'
import { layerOf, summaryOf } from './fake-scanner.ts'
import { scannedRegistry } from './scanned-registry.ts'

const registry = scannedRegistry()

const openssl = {
  id: 'DSA-1-1',
  aliases: ['CVE-2026-1'],
  package: 'openssl',
  severity: 'REGISTRY_SEVERITY_CRITICAL',
  fixed: '3.0.12',
} as const
const zlib = { id: 'DSA-2-1', package: 'zlib', severity: 'REGISTRY_SEVERITY_LOW' } as const

describe('a scan', () => {
  it('goes from PENDING to DONE, and its report has the findings, the packages and the bill of materials', async () => {
    const { api, oci, repository, scanner, workspace } = registry()
    scanner.load([zlib, openssl])
    const id = await repository('scanned')
    const digest = await oci.pushImage('acme/web/scanned', 'v1', layerOf('openssl@3.0.11', 'zlib@1', 'bash@5'))
    expect(await registry().report(id, 'v1')).toEqual({
      state: 'REGISTRY_SCAN_STATE_NOT_SCANNED',
      vulnerabilities: [],
      unsupported_sources: [],
      blocked: false,
      next_page_token: '',
    })
    const begun = await api.registry.scanArtifact({ workspace, repository: id, reference: 'v1', body: {} })
    expect(begun).toMatchObject({
      status: 'REGISTRY_OPERATION_STATUS_PENDING',
      resource_type: 'registry.scans',
      operation_type: 'REGISTRY_OPERATION_TYPE_CREATE',
    })
    const ended = await api.registry.waitOperation(begun)
    expect(ended).toMatchObject({ status: 'REGISTRY_OPERATION_STATUS_DONE', errors: [] })
    const report = await registry().report(id, digest)
    expect(report).toMatchObject({
      id: begun.resource_id,
      digest,
      state: 'REGISTRY_SCAN_STATE_SUCCEEDED',
      scanner: { name: 'native', database_version: 'Debian:12' },
      os: { id: 'debian', version: '12' },
      package_count: 3,
      summary: summaryOf({ critical: 1, low: 1, fixable: 1 }),
      vulnerabilities: [
        { id: 'DSA-1-1', fixed_versions: ['3.0.12'], excepted_by: '' },
        { id: 'DSA-2-1', fixed_versions: [] },
      ],
      unsupported_sources: ['an rpm database'],
      sbom: { format: 'CycloneDX 1.6', component_count: 3 },
      blocked: false,
    })
    const artifact = await api.registry.getArtifact({ workspace, repository: id, reference: 'v1' })
    expect(artifact.scan_overview).toEqual({
      state: 'REGISTRY_SCAN_STATE_SUCCEEDED',
      scan_time: report.end_time,
      critical: 1,
      high: 0,
      medium: 0,
      low: 1,
      unknown: 0,
      fixable: 1,
    })
    expect(artifact.referrers).toEqual([
      { digest: report.sbom?.digest, artifact_type: 'application/vnd.cyclonedx+json' },
    ])
    const { artifacts } = await api.registry.listArtifacts({
      workspace,
      repository: id,
      filter: 'scan_overview.critical>=1 AND scan_overview.state=REGISTRY_SCAN_STATE_SUCCEEDED',
    })
    expect(artifacts.map(each => each.digest)).toEqual([digest])
    const { audit_events } = await api.registry.listAuditEvents({
      workspace,
      filter: `action=REGISTRY_AUDIT_ACTION_SCAN AND digest="${digest}"`,
    })
    expect(audit_events).toMatchObject([{ outcome: 'REGISTRY_AUDIT_OUTCOME_SUCCEEDED', tag: 'v1' }])
    expect(await doctorFindings(registry().place)).toEqual([])
  })

  it('in progress is answered to a further call, and the report of before stays readable', async () => {
    const { api, oci, repository, scan, scanner, workspace } = registry()
    scanner.load([openssl])
    const id = await repository('busy')
    await oci.pushImage('acme/web/busy', 'v1', layerOf('openssl@3.0.11'))
    const first = await scan(id, 'v1')
    const { promise, resolve } = Promise.withResolvers<void>()
    scanner.gate = promise
    const call = { workspace, repository: id, reference: 'v1', body: {} }
    const begun = await api.registry.scanArtifact(call)
    const again = await api.registry.scanArtifact(call)
    expect(again.id).toBe(begun.id)
    const during = await registry().report(id, 'v1')
    expect(during.id).toBe(begun.resource_id)
    expect(during.state).toMatch(/PENDING|RUNNING/)
    expect(during.vulnerabilities).toEqual(first.vulnerabilities)
    resolve()
    await api.registry.waitOperation(begun)
    const second = await registry().report(id, 'v1')
    expect(second.state).toBe('REGISTRY_SCAN_STATE_SUCCEEDED')
    expect(second.sbom).toMatchObject({ component_count: first.sbom?.component_count })
    expect(second.sbom?.digest).not.toBe(first.sbom?.digest)
  })

  it.each([
    ['bomb', 'LAYER_LIMIT_EXCEEDED', 'REGISTRY_SCAN_STATE_FAILED'],
    ['no archive', 'SCANNER_FAILED', 'REGISTRY_SCAN_STATE_FAILED'],
  ])('of the layer "%s" ends with %s', async (text, reason, state) => {
    const { ended, oci, repository, scanner } = registry()
    scanner.load([openssl])
    const name = `bad-${text.replace(' ', '-')}`
    const id = await repository(name)
    await oci.pushImage(`acme/web/${name}`, 'v1', text)
    const operation = await ended(id, 'v1')
    expect(operation).toMatchObject({ status: 'REGISTRY_OPERATION_STATUS_ERROR', errors: [{ reason }] })
    expect(await registry().report(id, 'v1')).toMatchObject({ state, error: { reason }, vulnerabilities: [] })
  })

  it('of something that is no image ends with SCAN_UNSUPPORTED', async () => {
    const { ended, oci, repository } = registry()
    const id = await repository('chart')
    const config = await oci.pushBlob('acme/web/chart', '{}', 'application/vnd.oci.empty.v1+json')
    const manifest = { schemaVersion: 2, mediaType: ociImage, artifactType: 'text/x', config, layers: [config] }
    await oci.pushManifest('acme/web/chart', 'v1', manifest)
    expect((await ended(id, 'v1')).errors).toMatchObject([{ reason: 'SCAN_UNSUPPORTED', code: 5_009_001 }])
    const report = await registry().report(id, 'v1')
    expect(report).toMatchObject({ state: 'REGISTRY_SCAN_STATE_UNSUPPORTED', error: { reason: 'SCAN_UNSUPPORTED' } })
  })

  it('without advisories ends with VULNERABILITY_DATABASE_MISSING and a bill of materials, and has findings later', async () => {
    const { ended, oci, repository, scanner } = registry()
    scanner.load(undefined)
    const id = await repository('early')
    await oci.pushImage('acme/web/early', 'v1', layerOf('openssl@3.0.11'))
    expect((await ended(id, 'v1')).errors).toMatchObject([{ reason: 'VULNERABILITY_DATABASE_MISSING' }])
    const report = await registry().report(id, 'v1')
    expect(report).toMatchObject({
      state: 'REGISTRY_SCAN_STATE_FAILED',
      error: { reason: 'VULNERABILITY_DATABASE_MISSING' },
      package_count: 1,
      sbom: { component_count: 1 },
    })
    expect(report.summary).toBeUndefined()
    const reads = scanner.reads
    scanner.load([openssl])
    await expect
      .poll(() => registry().report(id, 'v1'))
      .toMatchObject({ state: 'REGISTRY_SCAN_STATE_SUCCEEDED', summary: summaryOf({ critical: 1, fixable: 1 }) })
    expect(scanner.reads).toBe(reads)
  })

  it('of an index scans each image that is present, and merges their reports', async () => {
    const { oci, repository, report, scan, scanner } = registry()
    scanner.load([openssl, zlib])
    const id = await repository('index')
    const name = 'acme/web/index'
    const children = []
    for (const [i, layer] of [layerOf('openssl@3.0.11'), layerOf('zlib@1')].entries()) {
      const digest = await oci.pushImage(name, `child-${i}`, layer)
      const { bytes } = await oci.send(`/v2/${name}/manifests/${digest}`)
      children.push({ mediaType: ociImage, digest, size: bytes.length })
    }
    await oci.pushManifest(name, 'all', { schemaVersion: 2, mediaType: ociIndex, manifests: children }, ociIndex)
    const merged = await scan(id, 'all')
    expect(merged).toMatchObject({
      state: 'REGISTRY_SCAN_STATE_SUCCEEDED',
      package_count: 2,
      summary: summaryOf({ critical: 1, low: 1, fixable: 1 }),
      vulnerabilities: [{ id: 'DSA-1-1' }, { id: 'DSA-2-1' }],
      sbom: { component_count: 2 },
    })
    expect(await report(id, 'child-1')).toMatchObject({
      state: 'REGISTRY_SCAN_STATE_SUCCEEDED',
      vulnerabilities: [{ id: 'DSA-2-1' }],
    })
    const reads = scanner.reads
    await scan(id, 'all')
    expect(scanner.reads).toBe(reads)
    expect(await doctorFindings(registry().place)).toEqual([])
  })

  it('has a report whose findings come in pages, the worst first', async () => {
    const { api, oci, repository, scan, scanner, workspace } = registry()
    const severities = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'NONE', 'UNKNOWN'] as const
    scanner.load(
      Array.from({ length: 250 }, (_, i) => ({
        id: `CVE-${String(i).padStart(3, '0')}`,
        package: 'many',
        severity: `REGISTRY_SEVERITY_${severities[i % 6] ?? 'LOW'}` as const,
      })),
    )
    const id = await repository('many')
    await oci.pushImage('acme/web/many', 'v1', layerOf('many@1'))
    await scan(id, 'v1')
    const found: string[] = []
    let token = ''
    do {
      const call = { workspace, repository: id, reference: 'v1', page_size: 70, page_token: token }
      const page = await api.registry.getScanReport(call)
      found.push(...page.vulnerabilities.map(({ id: each, severity }) => `${severity} ${each}`))
      expect(page.summary?.critical).toBe(42)
      token = page.next_page_token
      if (found.length === 70) scanner.load([{ id: 'A', package: 'other', severity: 'REGISTRY_SEVERITY_LOW' }])
    } while (token !== '')
    const rank = (text: string): number => severities.findIndex(each => text.startsWith(`REGISTRY_SEVERITY_${each} `))
    expect(found).toHaveLength(250)
    expect(found).toEqual(found.toSorted((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1)))
    const reason = (call: Promise<unknown>) =>
      call.then(
        () => 'none',
        (error: unknown) => Reflect.get(Object(error), 'reason'),
      )
    const call = { workspace, repository: id, reference: 'v1' }
    expect(await reason(api.registry.getScanReport({ ...call, page_token: 'x' }))).toBe('PAGE_TOKEN_INVALID')
    expect(await reason(api.registry.getScanReport({ ...call, page_size: -1 }))).toBe('FIELD_INVALID')
  })
})
