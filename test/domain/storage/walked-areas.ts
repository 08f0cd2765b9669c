import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AreaModule } from '../../../server/area.ts'
import { areas } from '../../../server/areas.ts'
import type { PlatformServices } from '../../../server/area-parts.ts'
import { GivenSettings } from '../../../server/settings/values.ts'
import { vaultSettings } from '../../../server/vault/settings.ts'
import type { WalkedOptions, WalkedServer } from '../../areas/kill/serve-walked.ts'

/** The areas that objects need; the vault wraps the keys that sign URLs. Lifecycle rules run ten times a second. */
export const walkedAreas: readonly AreaModule[] = areas
  .filter(({ domain }) => ['taxonomy', 'topology', 'storage', 'vault'].includes(domain.name))
  .map(area => (area.domain.name === 'storage' ? withFrequentRules(area) : area))

const rules = 'storage.lifecycle'

function withFrequentRules(area: AreaModule): AreaModule {
  return {
    ...area,
    mount(parts: PlatformServices) {
      const mounted = area.mount(parts)
      const workers = mounted.workers.map(worker => (worker.name === rules ? { ...worker, everyMs: 100 } : worker))
      return { ...mounted, workers }
    },
  }
}

/**
 * Returns the options of a walked server: the root key of its data folder, the calls that change objects, and the worker
 * of lifecycle rules.
 */
export function walkedSettings(): WalkedOptions {
  const [text = ''] = process.argv.slice(2)
  const { place }: WalkedServer = JSON.parse(text)
  mkdirSync(place.dataDir, { recursive: true, mode: 0o700 })
  const file = join(place.dataDir, 'walked-root.key')
  writeFileSync(file, Buffer.alloc(32, 7).toString('base64'), { mode: 0o600 })
  return {
    given: new GivenSettings().with(vaultSettings['vault.seal.current_key'], `file://${file}`),
    calls: [
      'putObject',
      'copyObject',
      'deleteObject',
      'createMultipartUpload',
      'completeMultipartUpload',
      'abortMultipartUpload',
      'createBucket',
    ],
    workers: [rules],
  }
}
