import { AsyncLocalStorage } from 'node:async_hooks'
import { expect, it, onTestFinished } from 'vitest'
import type { Store, Transaction } from '../../../domain/ports/store.ts'
import { isEnded } from '../../../runtime/operations.ts'
import type { AreaModule } from '../../../server/area.ts'
import { areas } from '../../../server/areas.ts'
import type { PlatformServices } from '../../../server/area-parts.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { addTenant } from '../../areas/members.ts'
import { digestOf } from './oci-client.ts'
import { servedRegistry } from './served-registry.ts'

const purging = new AsyncLocalStorage<true>()

/** Runs `watch` after each transaction of a purge. */
function watchStore(store: Store, watch: () => Promise<void>): void {
  const begin = store.tx.bind(store)
  store.tx = async function <R>(fn: (tx: Transaction) => Promise<R>): Promise<R> {
    const made = await begin(fn)
    if (purging.getStore() === true) await watch()
    return made
  }
}

/** Returns an area whose purge of a workspace is watched. */
const withWatchedPurge = (area: AreaModule, watch: () => Promise<void>): AreaModule => ({
  ...area,
  mount(parts: PlatformServices) {
    watchStore(parts.store, watch)
    const mounted = area.mount(parts)
    const at = parts.hooks.findIndex(hooks => hooks.area === area.domain.name)
    const hooks = parts.hooks[at]
    if (!hooks) throw new Error(`the area ${area.domain.name} has no hooks`)
    parts.hooks[at] = {
      ...hooks,
      purgeWorkspace: workspace => purging.run(true, async () => hooks.purgeWorkspace?.(workspace)),
    }
    return mounted
  },
})

it('the purge of a workspace leaves rows that the doctor finds sound after each of its transactions', async () => {
  const found = new Set<string>()
  let count = 0
  const watch = async (): Promise<void> => {
    count += 1
    for (const finding of await doctorFindings(place)) found.add(finding)
  }
  const mounted = areas.map(area => (area.domain.name === 'registry' ? withWatchedPurge(area, watch) : area))
  const { api, oci, place } = await servedRegistry(onTestFinished, 0, { mounted })
  const { organisation, workspace } = await addTenant(api, 'purged')
  const at = { workspace, engine: 'native' }
  const { resource_id: repository } = await api.registry.createRepository({ ...at, body: { name: 'api' } })
  const digest = await oci.pushImage('purged/web/api', 'v1', 'purged')
  const manifest = (await oci.send('/v2/purged/web/api/manifests/v1')).bytes
  expect(digestOf(manifest)).toBe(digest)
  // More tags than one transaction deletes.
  for (let i = 0; i < 5; i += 1) {
    const query = Array.from({ length: 32 }, (_, j) => `tag=t${i}-${j}`).join('&')
    const put = {
      method: 'PUT',
      headers: { 'content-type': 'application/vnd.oci.image.manifest.v1+json' },
      body: manifest,
    }
    expect((await oci.send(`/v2/purged/web/api/manifests/${digest}?${query}`, put)).status).toBe(201)
  }
  const limits = [
    { quota_definition_id: 'registry.storageBytes', limit: 1_000_000 },
    { quota_definition_id: 'registry.artifacts', dimensions: { repository_id: repository }, limit: 5 },
  ]
  for (const body of limits) await api.registry.createQuotaLimit({ workspace, body })
  const friend = (await addTenant(api, 'friend')).workspace
  await api.registry.createPullGrant({ ...at, body: { grantee_workspace_id: friend } })
  await api.taxonomy.archiveWorkspace({ organisation, id: workspace, body: {} })
  const deleted = await api.taxonomy.deleteWorkspace({ organisation, id: workspace, force: true })
  await expect.poll(async () => isEnded(await api.taxonomy.getOperation(deleted)), { timeout: 120_000 }).toBe(true)
  expect(await api.taxonomy.getOperation(deleted)).toMatchObject({ errors: [], warnings: [] })
  expect([...found]).toEqual([])
  expect(count).toBeGreaterThan(10)
  expect(await doctorFindings(place)).toEqual([])
})
