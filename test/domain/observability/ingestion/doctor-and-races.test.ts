import { expect, it, onTestFinished } from 'vitest'
import { ingestionConfigCollection } from '../../../../domain/observability/ingestion-configs/ingestion-configs-store.ts'
import {
  ingestionStatusCollection,
  noStats,
} from '../../../../domain/observability/ingestion-configs/ingestion-status-store.ts'
import { ingestionConfigKind } from '../../../../domain/observability/ingestion-configs/ingestion-config-kind.ts'
import { addReference } from '../../../../domain/resources/references.ts'
import { areas } from '../../../../server/areas.ts'
import { storeCollections } from '../../../../server/platform-store.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { absentId, addTenant } from '../../../areas/members.ts'
import { testPlatform } from '../../../areas/test-platform.ts'
import { whileOpen } from '../../../areas/while-open.ts'
import { openBeside, testStorePlace } from '../../../server/store/left-place.ts'

const secret = 'kQ7vX2mZ9pR4tB8nW1cY6hJ3dF5gL0sA'

it('the doctor finds nothing in sound configs, and names what differs', async () => {
  const place = await testStorePlace(onTestFinished)
  const id = await whileOpen(place, async api => {
    const { workspace } = await addTenant(api, 'acme')
    const at = { workspace, engine: 'native' }
    const body = { name: 'senders', otlp: {}, ingest_keys: [{ name: 'one', secret }] }
    return (await api.observability.createIngestionConfig({ ...at, body })).resource_id
  })
  expect(await doctorFindings(place)).toEqual([])
  const store = await openBeside(place, storeCollections(areas))
  onTestFinished(() => store.close())
  await store.tx(async tx => {
    const stored = await tx.lock(ingestionConfigCollection, id)
    if (!stored) return
    const ingest_keys = stored.value.ingest_keys.map(key => ({ ...key, sha256: '' }))
    await tx.update(
      ingestionConfigCollection,
      id,
      { ...stored.value, kind: 'prometheus_scrape', ingest_keys },
      stored.version,
    )
    await addReference(tx, { type: 'vault.secrets', id: absentId }, { type: ingestionConfigKind.type, id })
    await tx.insert(ingestionStatusCollection, {
      id: absentId,
      workspace_id: stored.value.workspace_id,
      stats: noStats,
      targets: [],
    })
  })
  const findings = JSON.stringify(await doctorFindings(place))
  expect(findings).toContain('is of the kind prometheus_scrape, and has otlp')
  expect(findings).toContain('has no hash of the key one')
  expect(findings).toContain(`holds the secret ${absentId}, which it does not use`)
  expect(findings).toContain('has a status, and the workspace of the status has no such ingestion config')
})

it('of two updates with one etag, one succeeds', async () => {
  const platform = await testPlatform()
  const { api } = await platform.admin()
  const { workspace } = await addTenant(api, 'acme')
  const at = { workspace, engine: 'native' }
  const { resource_id: id } = await api.observability.createIngestionConfig({
    ...at,
    body: { name: 'senders', otlp: {}, ingest_keys: [{ name: 'one', secret }] },
  })
  const read = () => api.observability.getIngestionConfig({ ...at, id })
  for (let round = 0; round < 30; round += 1) {
    const { etag } = await read()
    const named = (display_name: string) =>
      api.observability.updateIngestionConfig({ ...at, id, update_mask: 'display_name', body: { display_name, etag } })
    const keyed = () => {
      const ingest_keys = [{ name: 'one' }, { name: `two-${round}`, secret: `${secret}${round}` }]
      return api.observability.updateIngestionConfig({
        ...at,
        id,
        update_mask: 'ingest_keys',
        body: { ingest_keys, etag },
      })
    }
    const ends = await Promise.allSettled([named(`round ${round}`), keyed()])
    const lost = ends.flatMap(end => (end.status === 'rejected' ? [end.reason] : []))
    expect(lost).toMatchObject([{ reason: 'ETAG_MISMATCH' }])
    const config = await read()
    const isNamed = config.display_name === `round ${round}`
    expect(config.ingest_keys.some(({ name }) => name === `two-${round}`)).toBe(!isNamed)
  }
})
