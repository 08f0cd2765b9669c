import { beforeAll, describe, expect, it } from 'vitest'
import { GivenSettings } from '../../../../server/settings/values.ts'
import { registrySettings } from '../../../../server/registry/settings.ts'
import { Secret } from '../../../../server/settings/secret.ts'
import { layerOf, summaryOf } from './fake-scanner.ts'
import { HarborFixture, metadataOf, reportOf, type AdapterConduct } from './harbor-fixture.ts'
import { scannedRegistry } from './scanned-registry.ts'

const adapter = new HarborFixture()
const secret = 'Bearer of-the-settings'
const listening = adapter.listen()

const registry = scannedRegistry({
  given: async () => {
    const setting = { name: 'fixture', url: `${await listening}/`, authorization: new Secret(secret) }
    return new GivenSettings().with(registrySettings['registry.scanners'], [setting])
  },
})

let repository = ''

beforeAll(async () => {
  repository = await registry().repository('adapted')
  await registry().oci.pushImage('acme/web/adapted', 'v1', layerOf('a@1'))
  return () => adapter.close()
})

const critical = {
  id: 'CVE-1',
  package: 'openssl',
  version: '3.0.11',
  fix_version: '3.0.12',
  severity: 'Critical',
  description: 'An overflow.',
  links: ['https://example.com/CVE-1'],
  layer: { digest: `sha256:${'a'.repeat(64)}` },
  preferred_cvss: { score_v3: 9.8, vector_v3: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' },
}

/** Scans by the adapter, and returns the reason and the description of the failure. */
async function failure(conduct: AdapterConduct): Promise<string> {
  adapter.conduct = conduct
  const { errors } = await registry().ended(repository, 'v1', 'fixture')
  return errors.map(({ description, reason }) => `${reason} ${description}`).join()
}

describe('an adapter of the settings', () => {
  it('is asked again until its report is there, and pulls the image by the token that it is given', async () => {
    const { oci, scan } = registry()
    adapter.conduct = {
      pending: { times: 2, after: '0' },
      report: {
        status: 200,
        body: reportOf([{ id: 'CVE-2', package: 'zlib', version: '1', severity: 'Negligible' }, critical]),
      },
    }
    const report = await scan(repository, 'v1', 'fixture')
    expect(report).toMatchObject({
      state: 'REGISTRY_SCAN_STATE_SUCCEEDED',
      scanner: { name: 'fixture', version: '1.0.0', database_time: '2026-01-16T00:00:00.000Z' },
      summary: summaryOf({ critical: 1, low: 1, fixable: 1 }),
      vulnerabilities: [
        {
          id: 'CVE-1',
          severity: 'REGISTRY_SEVERITY_CRITICAL',
          cvss: [{ version: '3.1', score: 9.8 }],
          package: { name: 'openssl', version: '3.0.11', ecosystem: '', layer_digest: critical.layer.digest },
          fixed_versions: ['3.0.12'],
          references: ['https://example.com/CVE-1'],
        },
        { id: 'CVE-2', severity: 'REGISTRY_SEVERITY_LOW', fixed_versions: [] },
      ],
    })
    expect(report.package_count).toBeUndefined()
    const [received] = adapter.received
    expect(received).toMatchObject({
      authorization: secret,
      contentType: 'application/vnd.scanner.adapter.scan.request+json; version=1.1',
      artifact: { repository: 'acme/web/adapted', digest: report.digest },
    })
    expect(adapter.pulls).toEqual([200])
    const push = await oci.send('/v2/acme/web/adapted/blobs/uploads/', {
      method: 'POST',
      token: received?.registry.authorization.slice('Bearer '.length) ?? '',
    })
    expect(push.status).not.toBe(202)
  })

  it('pulls an image that a policy blocks for all others', async () => {
    const { api, oci, scan, workspace } = registry()
    adapter.conduct = { report: { status: 200, body: reportOf([critical]) } }
    const block_pull = { block_unscanned: true, min_severity: 'REGISTRY_SEVERITY_LOW' as const }
    const body = { name: 'strict', repository_patterns: ['adapted'], scanner: 'fixture', block_pull }
    const { resource_id: id } = await api.registry.createScanPolicy({ workspace, engine: 'native', body })
    expect((await oci.send('/v2/acme/web/adapted/manifests/v1')).status).toBe(403)
    adapter.pulls.length = 0
    // The scanner of the policy scans without being named.
    const report = await scan(repository, 'v1')
    expect(report).toMatchObject({ scanner: { name: 'fixture' }, blocked: true })
    expect(adapter.pulls).toEqual([200])
    await api.registry.deleteScanPolicy({ workspace, engine: 'native', id })
  })

  it('has severities by the score if its word for one is not of the interface, such as a member of each object', async () => {
    const words = ['constructor', 'toString', '__proto__', 'Dire', 'critical']
    const vulnerabilities = words.map((word, i) => ({ ...critical, id: `CVE-${i}`, severity: word }))
    adapter.conduct = { report: { status: 200, body: reportOf(vulnerabilities) } }
    const report = await registry().scan(repository, 'v1', 'fixture')
    expect(report.summary).toEqual(summaryOf({ critical: words.length, fixable: words.length }))
    expect(new Set(report.vulnerabilities.map(({ severity }) => severity))).toEqual(
      new Set(['REGISTRY_SEVERITY_CRITICAL']),
    )
  })

  it.each<[string, AdapterConduct, string]>([
    ['refuses the scan', { accept: { status: 500, body: '{}' } }, 'refused the scan with the status 500'],
    ['redirects the scan', { accept: { status: 307, body: '' } }, 'refused the scan with the status 307'],
    ['gives no id', { accept: { status: 202, body: '{"id": 1}' } }, 'without an id'],
    ['gives the id of another path', { accept: { status: 202, body: '{"id": "../../x"}' } }, 'without an id'],
    ['answers garbage', { accept: { status: 202, body: '<html>' } }, 'without an id'],
    [
      'fails later',
      { report: { status: 500, body: '{"error": {"message": "no"}}' } },
      'the status 500 instead of a report',
    ],
    ['redirects the report', { report: { status: 301, body: '', location: 'http://127.0.0.1:1/' } }, 'the status 301'],
    ['reports garbage', { report: { status: 200, body: 'nonsense' } }, 'is no JSON object'],
    [
      'reports an error',
      { report: { status: 200, body: '{"error": {"message": "no"}}' } },
      'no list of vulnerabilities',
    ],
    [
      'reports no package',
      { report: { status: 200, body: reportOf([{ id: 'CVE-1' }]) } },
      'without an id or a package',
    ],
    ['reports too much', { report: { status: 200, body: `{"a": "${'a'.repeat(17 * 2 ** 20)}"}` } }, 'is longer than'],
    ['breaks off', { cutsOff: true }, 'broke off'],
    ['makes other reports', { metadata: metadataOf(['text/html']) }, 'does not make reports of the type'],
  ])('that %s makes the scan fail', async (_, conduct, words) => {
    const told = await failure(conduct)
    expect(told).toMatch(/^SCANNER_FAILED /)
    expect(told).toContain(words)
    expect(told).not.toContain(secret)
  })

  it('that is not there makes the scan fail, and the report of before stays', async () => {
    const { report, scan } = registry()
    adapter.conduct = { report: { status: 200, body: reportOf([critical]) } }
    await scan(repository, 'v1', 'fixture')
    await adapter.close()
    expect(await failure({})).toContain('cannot be reached')
    expect(await report(repository, 'v1')).toMatchObject({
      state: 'REGISTRY_SCAN_STATE_FAILED',
      error: { reason: 'SCANNER_FAILED' },
      vulnerabilities: [{ id: 'CVE-1' }],
    })
  })
})
