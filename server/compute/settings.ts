import type { SettingDeclarations } from '../settings/declarations.ts'
import { number } from '../settings/scalars.ts'
import { imagesFile } from './images-setting.ts'

/** The settings of the area of compute. */
export const computeSettings = {
  'compute.images_file': imagesFile()
    .otherwise('the built-in images alone')
    .describe('a file with a list of images, in JSON; they are added to the built-in ones, or replace them by name'),
  'compute.sim_time_scale': number({ min: 0, max: 1000 })
    .default(1)
    .describe('factor of the time that simulated virtual machines take; at 0 nothing takes time'),
} as const satisfies SettingDeclarations
