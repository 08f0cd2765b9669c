import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, it, onTestFinished } from 'vitest'
import { registrySettings } from '../../../../server/registry/settings.ts'
import { GivenSettings } from '../../../../server/settings/values.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { critical, recordText } from '../../../server/registry/advisories/records.ts'
import { tarOf } from '../../../server/registry/layers/tar-maker.ts'
import { testFolder } from '../../../server/store/harness.ts'
import { ociImage } from '../oci-client.ts'
import { servedRegistry } from '../served-registry.ts'

const packageOf = (name: string, version: string): string =>
  [`Package: ${name}`, 'Status: install ok installed', 'Architecture: amd64', `Version: ${version}`, '', ''].join('\n')

/** A layer of Debian 12 with two packages. */
const layer = gzipSync(
  tarOf(
    { name: 'etc/os-release', content: 'ID=debian\nVERSION_ID="12"\n' },
    {
      name: 'var/lib/dpkg/status',
      content: packageOf('openssl', '3.0.11-1~deb12u1') + packageOf('zlib', '1:1.2.13-1'),
    },
  ),
)

/** Writes advisories: one that affects openssl, and one that the installed zlib mends. */
function osvFolder(): string {
  const folder = join(testFolder(onTestFinished), 'osv')
  mkdirSync(folder)
  const ecosystem = 'Debian:12'
  const records = [
    { id: 'DSA-T-1', ecosystem, name: 'openssl', fixed: '3.0.11-1~deb12u2' },
    { id: 'DSA-T-2', ecosystem, name: 'zlib', fixed: '1:1.2.13-1' },
  ]
  for (const record of records) writeFileSync(join(folder, `${record.id}.json`), recordText(record))
  return folder
}

it('a scan of an image of Debian finds exactly the vulnerabilities of the versions that are installed', async () => {
  const more = new GivenSettings().with(registrySettings['registry.osv_dir'], osvFolder())
  const { api, oci, place, repository, workspace } = await servedRegistry(onTestFinished, 0, { given: more })
  const id = await repository('api')
  const name = 'acme/web/api'
  const config = await oci.pushBlob(
    name,
    '{"os":"linux","architecture":"amd64"}',
    'application/vnd.oci.image.config.v1+json',
  )
  const layers = [await oci.pushBlob(name, Uint8Array.from(layer))]
  await oci.pushManifest(name, 'v1', { schemaVersion: 2, mediaType: ociImage, config, layers })
  const call = { workspace, repository: id, reference: 'v1' }
  const begun = await api.registry.scanArtifact({ ...call, body: {} })
  expect(begun.status).toBe('REGISTRY_OPERATION_STATUS_PENDING')
  await api.registry.waitOperation(begun).catch(() => {})
  // A scan may end before the advisories of a new server are imported; its report then follows them.
  const report = () => api.registry.getScanReport(call)
  await expect.poll(report, { timeout: 60_000 }).toMatchObject({ state: 'REGISTRY_SCAN_STATE_SUCCEEDED' })
  const found = await report()
  expect(found).toMatchObject({
    os: { id: 'debian', version: '12' },
    package_count: 2,
    summary: { critical: 1, high: 0, medium: 0, low: 0, none: 0, unknown: 0, fixable: 1, excepted: 0 },
    vulnerabilities: [
      {
        id: 'DSA-T-1',
        severity: 'REGISTRY_SEVERITY_CRITICAL',
        cvss: [{ version: '3.1', vector: critical, score: 9.8 }],
        package: {
          name: 'openssl',
          version: '3.0.11-1~deb12u1',
          ecosystem: 'Debian:12',
          path: 'var/lib/dpkg/status',
          layer_digest: layers[0]?.digest,
        },
        fixed_versions: ['3.0.11-1~deb12u2'],
      },
    ],
  })
  const bill = await oci.send(`/v2/${name}/manifests/${found.sbom?.digest}`)
  expect(bill.json).toMatchObject({ artifactType: 'application/vnd.cyclonedx+json', subject: { digest: found.digest } })
  const blob = Object(bill.json).layers[0].digest
  const { json } = await oci.send(`/v2/${name}/blobs/${blob}`)
  const text = new TextDecoder().decode((await oci.send(`/v2/${name}/blobs/${blob}`)).bytes)
  expect(json ?? JSON.parse(text)).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6' })
  expect(text).toContain('pkg:deb/debian/openssl@3.0.11-1~deb12u1')
  expect(await doctorFindings(place)).toEqual([])
})
