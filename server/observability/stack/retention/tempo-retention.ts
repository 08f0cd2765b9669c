import type { MemberClient } from '../member-client.ts'
import type { Config } from './config.ts'
import { durationTextMs } from './duration-text.ts'
import { MemberTexts, readRetention } from './member-texts.ts'
import type { RetentionSource } from './stack-retention.ts'

/** The tenant of a Tempo that does not keep tenants apart. */
const onlyTenant = 'single-tenant'

/** The retention of all blocks: that of the compactor, and of the workers from version 3 on, which has no compactor. */
const common = [
  ['compactor', 'compaction', 'block_retention'],
  ['backend_worker', 'compaction', 'block_retention'],
] as const

/** The retention in overrides, by its present and its older name. */
const overridden = [['compaction', 'block_retention'], ['block_retention']] as const

/**
 * Returns the source of the retention of traces in Tempo. The overrides of a tenant come before those of all tenants,
 * and these before the retention of all blocks; an override of 0 counts as none.
 */
export const tempoRetention =
  (client: MemberClient): RetentionSource =>
  (workspace, caller) =>
    readRetention(client, 'Tempo', async () => {
      const pages = new MemberTexts(client, workspace, caller)
      const [config, runtime] = await Promise.all([
        pages.configAt('/status/config'),
        pages.configAt('/status/runtime_config'),
      ])
      const tenants = [client.member.hasTenants ? workspace : onlyTenant, '*']
      const tenant = tenants.find(name => runtime.has(['overrides', name]))
      // The overrides of a tenant replace those of all tenants as a whole.
      const override =
        tenant === undefined
          ? firstMs(config, [
              ['overrides', 'defaults', ...overridden[0]],
              ['overrides', ...overridden[1]],
            ])
          : firstMs(
              runtime,
              overridden.map(path => ['overrides', tenant, ...path]),
            )
      return override ?? firstMs(config, common)
    })

/** Returns the first retention at one of some paths that is not 0, in milliseconds; undefined without one. */
function firstMs(config: Config, paths: readonly (readonly string[])[]): number | undefined {
  for (const path of paths) {
    const text = config.value(path)
    const ms = text === undefined ? 0 : durationTextMs(text)
    if (ms > 0) return ms
  }
  return undefined
}
