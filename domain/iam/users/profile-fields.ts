import type { UserInput } from '../../../output/iam/types.ts'
import { isEmail } from '../../../runtime/formats.ts'
import { quoted, refusal } from '../../../runtime/refusal.ts'
import { localPart, normalEmail } from '../values/email.ts'

/**
 * Throws FIELD_INVALID for an unknown language tag or time zone (BCP 47, IANA), and for an address whose stored form is
 * invalid: NFC turns the Greek question mark into a semicolon, which is not allowed in addresses.
 */
export function checkProfile({ email, locale, time_zone }: Partial<UserInput>): void {
  if (email !== undefined && !isEmail(normalEmail(email))) {
    throw refusal('FIELD_INVALID', 'email', `must be a valid email, not ${quoted(email)}`)
  }
  if (locale && !isLocale(locale)) {
    throw refusal('FIELD_INVALID', 'locale', `must be a language tag such as "en-GB", not ${quoted(locale)}`)
  }
  if (time_zone && !isTimeZone(time_zone)) {
    throw refusal('FIELD_INVALID', 'time_zone', `must be a time zone such as "Europe/Dublin", not ${quoted(time_zone)}`)
  }
}

const isLocale = (tag: string): boolean => doesNotThrow(() => Intl.getCanonicalLocales(tag))

const isTimeZone = (name: string): boolean => doesNotThrow(() => Intl.DateTimeFormat('en', { timeZone: name }))

/** Returns whether a function of Intl accepts a value; Intl offers no other check of time zones. */
function doesNotThrow(ask: () => unknown): boolean {
  try {
    ask()
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

/** Returns the user's fields in a body in their stored form: with the normalised address, and with a display name. */
export function settableOf<T extends Partial<UserInput>>(body: T, current = ''): T & { readonly display_name: string } {
  const email = body.email === undefined ? undefined : normalEmail(body.email)
  const display_name = body.display_name ?? nameOf(email ?? current)
  return { ...body, ...(email !== undefined && { email }), display_name }
}

/** Returns the default display name: the local part of the address, cut to the maximal length of a name. */
export const nameOf = (email: string): string => [...localPart(email)].slice(0, 128).join('')
