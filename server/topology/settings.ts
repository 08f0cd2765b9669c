import type { SettingDeclarations } from '../settings/declarations.ts'
import { flag } from '../settings/scalars.ts'

/** The settings of the area of topology. */
export const topologySettings = {
  'topology.bootstrap': flag()
    .default(true)
    .describe('whether the first start creates a simulated target, a location, a region, a zone and a pool'),
} as const satisfies SettingDeclarations
