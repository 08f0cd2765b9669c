import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Store } from '../../../../domain/ports/store.ts'
import { agenda } from '../../../../domain/vault/work/agenda.ts'
import type { Worker } from '../../../../domain/ports/workers.ts'
import type { StorePlace } from '../../../../server/platform-store.ts'
import { GivenSettings } from '../../../../server/settings/values.ts'
import { vaultSettings } from '../../../../server/vault/settings.ts'
import { openPlatform, type OpenedPlatform } from '../../../areas/open-platform.ts'
import { testAccess } from '../../../server/access/test-access.ts'
import { walkedAreas } from '../walked-areas.ts'

/** A platform of the vault, and its store. */
export interface DuePlatform extends OpenedPlatform {
  readonly store: Store
}

/** Opens the vault on a place; `watched` replaces the worker of due work. */
export async function openDue(place: StorePlace, watched: (worker: Worker) => Worker): Promise<DuePlatform> {
  mkdirSync(place.dataDir, { recursive: true, mode: 0o700 })
  const file = join(place.dataDir, 'due-root.key')
  writeFileSync(file, Buffer.alloc(32, 7).toString('base64'), { mode: 0o600 })
  const given = new GivenSettings().with(vaultSettings['vault.seal.current_key'], `file://${file}`)
  let store: Store | undefined
  const areas = walkedAreas.map(area => ({
    ...area,
    mount(parts: Parameters<typeof area.mount>[0]) {
      ;({ store } = parts)
      const mounted = area.mount(parts)
      const workers = mounted.workers.map(worker => (worker.name === 'vault.agenda' ? watched(worker) : worker))
      return { ...mounted, workers }
    },
  }))
  const platform = await openPlatform({ config: { ...place, given }, areas, openAccess: testAccess })
  if (store === undefined) throw new Error('no area was mounted')
  return { ...platform, store }
}

/** Returns the ids of the entries of the agenda whose time has passed. */
export async function overdue(store: Pick<Store, 'each'>): Promise<readonly string[]> {
  const ids: string[] = []
  for await (const { id, value } of store.each(agenda)) if (Date.parse(value.due_time) <= Date.now()) ids.push(id)
  return ids
}
