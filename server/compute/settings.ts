import type { SettingDeclarations } from '../settings/declarations.ts'
import { duration, number } from '../settings/scalars.ts'
import { imagesFile } from './images-setting.ts'

/** The settings of the area of compute. */
export const computeSettings = {
  'compute.images_file': imagesFile()
    .otherwise('the built-in images')
    .describe(
      'a JSON file with a list of images, which are added to the built-in images, or replace the built-in image of the same name',
    ),
  'compute.metrics_interval': duration({ min: 1000, max: 300_000 })
    .default(30_000)
    .describe('the time between two samples of the metrics of virtual machines, once an area takes them'),
  'compute.sim_time_scale': number({ min: 0, max: 1000 })
    .default(1)
    .describe('the factor for the durations of simulated virtual machines; 0: no waiting'),
} as const satisfies SettingDeclarations
