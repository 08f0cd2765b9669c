import { expect, it, onTestFinished } from 'vitest'
import { observabilityHooks, type HookParts } from '../../../../domain/observability/hooks.ts'
import { ingestionConfigCollection } from '../../../../domain/observability/ingestion-configs/ingestion-configs-store.ts'
import { ingestionConfigKind } from '../../../../domain/observability/ingestion-configs/ingestion-config-kind.ts'
import { IngestionStatuses } from '../../../../domain/observability/ingestion-configs/ingestion-status.ts'
import { ingestionStatusCollection } from '../../../../domain/observability/ingestion-configs/ingestion-status-store.ts'
import { droppedCollection } from '../../../../domain/observability/retention/dropped-telemetry.ts'
import { NativeLease } from '../../../../domain/resources/native-lease.ts'
import { kindHooks } from '../../../../domain/resources/workspace-hooks.ts'
import { areas } from '../../../../server/areas.ts'
import { createClock } from '../../../../server/clock.ts'
import { storeCollections } from '../../../../server/platform-store.ts'
import { addTenant } from '../../../areas/members.ts'
import { whileOpen } from '../../../areas/while-open.ts'
import { openBeside, testStorePlace } from '../../../server/store/left-place.ts'

const rethrow = (error: unknown): never => {
  throw error
}

it('a status that is stored while its workspace is purged is purged too', async () => {
  const place = await testStorePlace(onTestFinished)
  const [workspace, config] = await whileOpen(place, async api => {
    const { workspace: id } = await addTenant(api, 'acme')
    const body = { name: 'senders', otlp: {} }
    const made = await api.observability.createIngestionConfig({ workspace: id, engine: 'native', body })
    return [id, made.resource_id]
  })
  const store = await openBeside(place, storeCollections(areas))
  onTestFinished(() => store.close())
  const statuses = new IngestionStatuses({ store, failed: rethrow })
  const lease = new NativeLease()
  lease.hold(new AbortController().signal)
  let dropped = 0
  const parts: HookParts = {
    clock: createClock(() => Date.now()),
    failed: rethrow,
    lease,
    limits: new Map(),
    store,
    taxonomy: { consume: async () => undefined },
    metrics: {
      async drop() {
        dropped += 1
        // The last samples came in shortly before the workspace was archived.
        statuses.received(config, { accepted: 1, rejections: {} }, Date.now())
        await statuses.store()
      },
    },
  }
  const hooks = kindHooks('observability', [ingestionConfigKind], parts, observabilityHooks(parts))
  await hooks.purgeWorkspace?.(workspace)
  expect(dropped).toBe(1)
  expect(await store.count(droppedCollection)).toBe(0)
  expect(await store.count(ingestionConfigCollection, { workspace_id: workspace })).toBe(0)
  expect(await store.count(ingestionStatusCollection, { workspace_id: workspace })).toBe(0)
})
