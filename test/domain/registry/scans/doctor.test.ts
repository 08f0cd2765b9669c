import { expect, it } from 'vitest'
import { artifactCollection, rowOf } from '../../../../domain/registry/artifacts/artifacts-store.ts'
import { partOf } from '../../../../domain/registry/scan-results/result-rows.ts'
import {
  findingsCollection,
  packagesCollection,
  scanCollection,
  waitingCollection,
} from '../../../../domain/registry/scan-results/scans-store.ts'
import { scanPolicyCollection } from '../../../../domain/registry/scan-policies/scan-policies-store.ts'
import type { Collection } from '../../../../domain/ports/store.ts'
import { areas } from '../../../../server/areas.ts'
import { storeCollections } from '../../../../server/platform-store.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { openBeside } from '../../../server/store/left-place.ts'
import { layerOf } from './fake-scanner.ts'
import { scannedRegistry } from './scanned-registry.ts'

const registry = scannedRegistry()

it('the doctor finds every altered row of a scan', async () => {
  const { api, oci, place, repository, scan, scanner, workspace } = registry()
  const lib = { package: 'lib', severity: 'REGISTRY_SEVERITY_HIGH' } as const
  scanner.load([
    { id: 'A', ...lib },
    { id: 'B', ...lib },
  ])
  const id = await repository('altered')
  await oci.pushImage('acme/web/altered', 'v1', layerOf('lib@1'))
  const { digest = '' } = await scan(id, 'v1')
  const body = { name: 'yearly', trigger: 'REGISTRY_SCAN_TRIGGER_SCHEDULED' as const, schedule: '0 0 1 1 *' }
  const { resource_id: policy } = await api.registry.createScanPolicy({ workspace, engine: 'native', body })
  const store = await openBeside(place, storeCollections(areas))
  const row = rowOf(id, digest)
  const isTidy = async () => (await store.get(scanCollection, row))?.value.is_untidy
  await expect.poll(isTidy).toBe(false)
  expect(await doctorFindings(place)).toEqual([])

  /** Changes a row, returns what the doctor finds, and restores the row. */
  async function changed<T>(collection: Collection<T>, key: string, change: (value: T) => T): Promise<string> {
    const before = await store.get(collection, key)
    if (!before) throw new Error(`there is no row ${key}`)
    await store.tx(tx => tx.update(collection, key, change(before.value), before.version))
    const findings = await doctorFindings(place)
    await store.tx(tx => tx.update(collection, key, before.value, before.version + 1))
    return findings.join('\n')
  }

  const { result } = (await store.get(scanCollection, row))?.value ?? {}
  if (!result?.counts) throw new Error('the scan has no result')
  const { counts } = result
  const more = { ...result, counts: { ...counts, high: 7 } }
  const found = partOf(row, result.id, 0)
  expect(await changed(scanCollection, row, value => ({ ...value, result: more }))).toContain('counts other findings')
  expect(
    await changed(artifactCollection, row, value => ({
      ...value,
      scan_overview: { ...value.scan_overview, critical: 1 },
    })),
  ).toContain('shows another scan')
  expect(
    await changed(findingsCollection, found, value => ({ ...value, findings: value.findings.toReversed() })),
  ).toContain('in another order')
  expect(await changed(findingsCollection, found, value => ({ ...value, result: 'other' }))).toContain(
    'belongs to no result',
  )
  expect(
    await changed(packagesCollection, partOf(row, result.inventory, 0), value => ({ ...value, packages: [] })),
  ).toContain('has package_count 1; it has 0 packages')
  const next_scan_time = '2999-03-03T00:00:00.000Z'
  expect(await changed(scanPolicyCollection, policy, value => ({ ...value, next_scan_time }))).toContain(
    'unlike its schedule',
  )
  const since = '2026-01-01T00:00:00.000Z'
  const waiting = { workspace_id: 'absent', repository_id: 'absent', digest, since, trigger: 'ON_PUSH' } as const
  await store.tx(tx => tx.insert(waitingCollection, { id: `absent/${digest}`, ...waiting }))
  // The worker of the server drops such a row soon.
  const isDropped = async () => (await store.get(waitingCollection, `absent/${digest}`)) === undefined
  await expect.poll(isDropped).toBe(true)
  expect(await doctorFindings(place)).toEqual([])
})
