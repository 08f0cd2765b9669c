import { endlessMs } from './duration-text.ts'
import type { MemberTexts } from './member-texts.ts'

const limit = 'compactor_blocks_retention_period'

/**
 * Returns the retention of Mimir for a tenant in milliseconds: Infinity for 0, undefined for a member that does not tell.
 * Mimir has the limits of tenants only with a runtime configuration; without one, all tenants have those of `/config`.
 */
export async function mimirRetention(pages: MemberTexts): Promise<number | undefined> {
  const { [limit]: own } = (await pages.objectAt('/api/v1/user_limits')) ?? {}
  if (own !== undefined) return endlessMs(own)
  const common = (await pages.configAt('/config')).value(['limits', limit])
  return common === undefined ? undefined : endlessMs(common)
}
