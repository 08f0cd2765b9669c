import { isRecord } from '../../../../runtime/validation.ts'
import type { MemberClient } from '../member-client.ts'
import { endlessMs } from './duration-text.ts'
import { MemberTexts, readRetention } from './member-texts.ts'
import type { RetentionSource } from './stack-retention.ts'

/**
 * Returns the source of the retention of logs in Loki. Its compactor deletes entries only if retention is enabled; the
 * limits of a tenant, which newer versions tell, come before those of the configuration.
 */
export const lokiRetention =
  (client: MemberClient): RetentionSource =>
  (workspace, caller) =>
    readRetention(client, 'Loki', async () => {
      const pages = new MemberTexts(client, workspace, caller)
      const config = await pages.configAt('/config')
      const isEnabled = config.value(['compactor', 'retention_enabled'])
      if (isEnabled !== 'true') return isEnabled === undefined ? undefined : Infinity
      const { limits } = (await pages.objectAt('/loki/api/v1/drilldown-limits')) ?? {}
      const own = isRecord(limits) ? limits['retention_period'] : undefined
      const period = own ?? config.value(['limits_config', 'retention_period'])
      return period === undefined ? undefined : endlessMs(period)
    })
