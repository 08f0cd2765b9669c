import fc from 'fast-check'
import { expect, it } from 'vitest'
import { normalEmail } from '../../../../domain/iam/values/email.ts'
import { checkProfile } from '../../../../domain/iam/users/profile-fields.ts'
import { isEmail } from '../../../../runtime/formats.ts'
import { optionalAddressFault, senderFault } from '../../../../server/settings/text-faults.ts'
import { outcomeOf } from '../../outcomes.ts'

it.each([
  ['in another case', 'KIM@Example.Test', 'kim@example.test'],
  ['in parts', 'u\u0301@example.test', '\u00fa@example.test'],
  ['with the sign of Kelvin', '\u212aim@example.test', 'kim@example.test'],
  ['with half a pair', 'a\ud800@example.test', 'a\ufffd@example.test'],
  ['with the other half', 'a\udc00@example.test', 'a\ufffd@example.test'],
])('an address %s is the same address', (_name, written, kept) => {
  expect(normalEmail(written)).toBe(kept)
  expect(normalEmail(kept)).toBe(kept)
})

const checked = (email: string): Promise<string> => outcomeOf(Promise.resolve().then(() => checkProfile({ email })))

it('an address that is invalid in its stored form is refused', async () => {
  for (const written of ['a\u037eb@example.test', '\u037e@example.test']) {
    expect(isEmail(written)).toBe(true)
    expect(await checked(written)).toBe('FIELD_INVALID')
  }
})

/** Addresses with the form that RFC 5321 and RFC 6531 give a Dot-string and a host name, and other texts. */
const forms: readonly (readonly [address: string, isAddress: boolean])[] = [
  ["o'neil+tag.x@a-b.example", true],
  ['{}|~!#$%&*/=?^_`@example.test', true],
  ['ünï.çødé@example.test', true],
  ['आदि.कर@example.test', true],
  ['a@localhost', true],
  [`${'x'.repeat(64)}@example.test`, true],
  [`${'x'.repeat(65)}@example.test`, false],
  ['.a@example.test', false],
  ['a.@example.test', false],
  ['a..b@example.test', false],
  ['"a b"@example.test', false],
  ['a b@example.test', false],
  ['a\u00a0b@example.test', false],
  ['a\u202eb@example.test', false],
  ['a\u200bb@example.test', false],
  ['a\u0007b@example.test', false],
  ['a@[192.0.2.1]', false],
  ['a@-b.test', false],
  ['a@b..test', false],
  ['a@b.test.', false],
  ['a@b@c.test', false],
  ['a', false],
]

it.each(forms)('%j is an address: %s, in bodies and in settings', async (address, isAddress) => {
  expect(await checked(address)).toBe(isAddress ? 'OK' : 'FIELD_INVALID')
  expect(optionalAddressFault(address) === undefined).toBe(isAddress)
  expect(senderFault(address) === undefined).toBe(isAddress)
  expect(senderFault(`Ninefold <${address}>`) === undefined).toBe(isAddress)
})

it('a stored address is valid', async () => {
  const part = fc.string({ unit: 'binary', minLength: 1, maxLength: 64 })
  await fc.assert(
    fc.asyncProperty(part, async local => {
      const email = `${local}@example.test`
      if ((await checked(email)) === 'OK') expect(isEmail(normalEmail(email))).toBe(true)
    }),
    { numRuns: 2000 },
  )
})
