import type { Topology } from '../../domain/ports/topology.ts'

/** Returns the functions of a topology that has these regions, and neither zones nor multi-regions. */
export const madeTopology = (...regions: readonly string[]): Topology => ({
  requireRegion: async (_tx, name) => (regions.includes(name) ? { id: `region-${name}`, name } : undefined),
  requireMultiRegion: async () => undefined,
  requireZone: async () => undefined,
})
