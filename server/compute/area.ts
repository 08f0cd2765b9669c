import { compute, type WrapDriver } from '../../domain/compute/area.ts'
import { computeArea as generated } from '../../output/compute/area.ts'
import { area, type AreaModule } from '../area.ts'
import { computeSettings } from './settings.ts'

/** Virtual machines. */
export const computeArea = (wrap?: WrapDriver): AreaModule =>
  area({ generated, ...compute(wrap), settings: computeSettings })
