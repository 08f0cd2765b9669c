import type { ComputeArea } from '../../output/compute/area.ts'
import type { Parts } from '../ports/area-parts.ts'
import type { DriverName } from '../ports/topology.ts'
import type { Driver } from './drivers/driver.ts'
import type { ImageCatalogue } from './images/catalogue.ts'

/** The drivers of virtual machines by their names; a driver that a server lacks fails the machines of its targets. */
export type Drivers = Readonly<Partial<Record<DriverName, Driver>>>

/** The parts of the area, with its images and drivers. */
export interface ComputeEnvironment extends Parts<ComputeArea, 'network' | 'topology', 'observability'> {
  readonly images: ImageCatalogue
  readonly drivers: Drivers
}
