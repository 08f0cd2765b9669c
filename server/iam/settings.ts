import { defaultThrottleLimits, type ThrottleLimits } from '../../domain/iam/sign-in/throttle-rules.ts'
import type { SettingDeclarations } from '../settings/declarations.ts'
import { integer } from '../settings/scalars.ts'
import { settingsOf, type SettingsSource } from '../settings/values.ts'

/** The declaration of a tolerated number of failed attempts (iam.md 4.7). */
const borne = integer({ min: 0, max: 999_999_999, rule: 'must be a number, 0 for no bound' })

/** The settings of the area of iam: limits of password guessing. */
export const iamSettings = {
  'iam.throttle.email_network': borne
    .default(defaultThrottleLimits.email_network)
    .describe(
      'failed sign-ins for an address from one network in 15 minutes; then a delay of one minute, which doubles up to 15; 0: no limit',
    ),
  'iam.throttle.email': borne
    .default(defaultThrottleLimits.email)
    .describe(
      'failed sign-ins for an address in an hour, except from networks with a successful sign-in within 30 days',
    ),
  'iam.throttle.network': borne
    .default(defaultThrottleLimits.network)
    .describe('failed sign-ins from one network in 5 minutes'),
  'iam.throttle.credential_token': borne
    .default(defaultThrottleLimits.credential_token)
    .describe('wrong activation and reset tokens from one network in a minute'),
} as const satisfies SettingDeclarations

/** Returns the configured limits of guessing. */
export function throttleLimitsOf(config: SettingsSource): ThrottleLimits {
  const values = settingsOf(config, iamSettings)
  return {
    email_network: values['iam.throttle.email_network'],
    email: values['iam.throttle.email'],
    network: values['iam.throttle.network'],
    credential_token: values['iam.throttle.credential_token'],
  }
}
