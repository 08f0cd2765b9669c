import type { ComputeArea } from '../../output/compute/area.ts'
import type { Parts } from '../ports/area-parts.ts'
import type { DriverName } from '../ports/topology.ts'
import type { Driver } from './drivers/driver.ts'
import type { ImageCatalogue } from './images/catalogue.ts'

/** The drivers, keyed by name. If the driver of a machine's target is absent, the changes of the machine fail. */
export type Drivers = Readonly<Partial<Record<DriverName, Driver>>>

/** The parts of the area, with its images and drivers. */
export interface ComputeEnvironment extends Parts<
  ComputeArea,
  'network' | 'topology',
  'observability' | 'registry' | 'storage'
> {
  readonly images: ImageCatalogue
  readonly drivers: Drivers
}
