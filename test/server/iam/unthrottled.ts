import { iamSettings } from '../../../server/iam/settings.ts'
import { GivenSettings } from '../../../server/settings/values.ts'

/** The settings under which nobody who guesses has to wait. */
export const unthrottled = new GivenSettings()
for (const setting of Object.values(iamSettings)) unthrottled.with(setting, 0)
