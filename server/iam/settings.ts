import { defaultThrottleLimits, type ThrottleLimits } from '../../domain/iam/sign-in/throttle-rules.ts'
import type { SettingDeclarations } from '../settings/declarations.ts'
import { integer } from '../settings/scalars.ts'
import { settingsOf, type SettingsSource } from '../settings/values.ts'

/** The tolerated numbers of failed attempts (iam.md 4.7). */
const borne = integer({ min: 0, max: 999_999_999, rule: 'must be a number, 0 for no bound' })

/** The settings of the area of iam: limits of password guessing. */
export const iamSettings = {
  'iam.throttle.email_network': borne
    .default(defaultThrottleLimits.email_network)
    .describe(
      "failed sign-ins in 15 minutes of an address from one network; then a minute's wait, doubling to 15; 0: no bound",
    ),
  'iam.throttle.email': borne
    .default(defaultThrottleLimits.email)
    .describe('failed sign-ins in an hour of an address, but for networks from which it has signed in within 30 days'),
  'iam.throttle.network': borne
    .default(defaultThrottleLimits.network)
    .describe('failed sign-ins in 5 minutes from one network'),
  'iam.throttle.credential_token': borne
    .default(defaultThrottleLimits.credential_token)
    .describe('wrong activation and reset tokens in a minute from one network'),
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

/** The settings for mail. */
export interface MailSettings {
  /** The URL may hold a password. Absent: mails stay in the outbox. */
  readonly smtpUrl?: string | undefined
  /** The sender: an address, with or without a name. */
  readonly from?: string | undefined
}

/** The first administrator of a platform (iam.md 4.9). */
export interface BootstrapSettings {
  /** The address of the first administrator; empty for none. Absent: `defaultAdministrator`. */
  readonly adminEmail?: string | undefined
  /** A file whose first line is the password, so that the first administrator is active at once. */
  readonly adminPasswordFile?: string | undefined
}

/** The default sender of mails. */
export const defaultSender = 'Ninefold <ninefold@localhost>'

/** The default address of the first administrator (conventions §19). */
export const defaultAdministrator = 'admin@localhost'

/** Returns the fault of a mail server's URL. It never quotes the value, which may hold a password. */
export function smtpUrlFault(value: string): string | undefined {
  const isUsable = /^smtps?:\/\//.test(value) && URL.canParse(value) && new URL(value).hostname !== ''
  return isUsable ? undefined : 'must be the URL of a mail server, smtps://user:password@host:465'
}

/** Returns the fault of a sender. */
export function senderFault(value: string): string | undefined {
  const isUsable = /^(?:[^\s<>@]+@[^\s<>@]+|[^<>@\p{Cc}]+ <[^\s<>@]+@[^\s<>@]+>)$/u.test(value)
  return isUsable ? undefined : 'must be an address, such as "Ninefold <cloud@example.com>"'
}

/** Returns the fault of an address, which may be empty. */
export function optionalAddressFault(value: string): string | undefined {
  const isUsable = value === '' || (value.length <= 254 && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(value))
  return isUsable ? undefined : 'must be an address, or empty'
}
