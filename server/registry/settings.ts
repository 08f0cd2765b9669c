import type { SettingDeclarations } from '../settings/declarations.ts'
import { text } from '../settings/scalars.ts'
import { hostFault } from '../settings/text-faults.ts'

/** The settings of the registry. */
export const registrySettings = {
  'registry.host': text({ fault: hostFault })
    .otherwise('the host of `base_url`')
    .describe('the host in image references, with a port unless it is 443 or 80: where OCI clients reach `/v2/`'),
} as const satisfies SettingDeclarations
