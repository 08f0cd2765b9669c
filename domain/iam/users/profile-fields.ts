import type { UserInput } from '../../../output/iam/types.ts'
import { isEmail } from '../../../runtime/formats.ts'
import { rulesOf, type FormRule } from '../../../runtime/form-rules.ts'
import { quoted } from '../../../runtime/refusal.ts'
import { localPart, normalEmail } from '../values/email.ts'

const rule = rulesOf<Partial<UserInput>>()

/**
 * The rules for a language tag and a time zone (BCP 47, IANA), and for an address whose stored form is invalid: NFC
 * turns the Greek question mark into a semicolon, which is not allowed in addresses.
 */
export const profileForm: readonly FormRule[] = [
  rule(['email'], function* ({ email }) {
    if (email !== undefined && !isEmail(normalEmail(email)))
      yield { field: 'email', description: `must be a valid email, not ${quoted(email)}` }
  }),
  rule(['locale'], function* ({ locale }) {
    if (locale && !isLocale(locale))
      yield { field: 'locale', description: `must be a language tag such as "en-GB", not ${quoted(locale)}` }
  }),
  rule(['time_zone'], function* ({ time_zone }) {
    if (time_zone && !isTimeZone(time_zone))
      yield { field: 'time_zone', description: `must be a time zone such as "Europe/Dublin", not ${quoted(time_zone)}` }
  }),
]

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
