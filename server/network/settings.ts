import type { SettingDeclarations } from '../settings/declarations.ts'
import { integer } from '../settings/scalars.ts'

/** The settings of the area of network. */
export const networkSettings = {
  'network.max_connections': integer({ min: 1, max: 4_194_304 })
    .default(131_072)
    .describe(
      'the number of connections in the table of the firewall, about 60 bytes of memory each; a further connection replaces the oldest connection of the port with the most connections',
    ),
  'network.max_connections_per_port': integer({ min: 1, max: 4_194_304 })
    .default(16_384)
    .describe('the number of connections that a port may have begun; a further connection replaces the oldest of them'),
} as const satisfies SettingDeclarations
