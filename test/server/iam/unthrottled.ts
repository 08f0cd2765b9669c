import { iamSettings } from '../../../server/iam/settings.ts'
import { GivenSettings } from '../../../server/settings/values.ts'

/** The settings without delays for guessing. */
export const unthrottled = new GivenSettings()
for (const setting of Object.values(iamSettings)) unthrottled.with(setting, 0)
