import { iamSettings } from '../../../server/iam/settings.ts'
import { GivenSettings } from '../../../server/settings/values.ts'

/** The settings of iam with all delays after failed sign-ins turned off. */
export const unthrottled = new GivenSettings()
for (const setting of Object.values(iamSettings)) unthrottled.with(setting, 0)
