import fc from 'fast-check'
import { expect, it } from 'vitest'
import { normalEmail } from '../../../../domain/iam/values/email.ts'
import { profileForm } from '../../../../domain/iam/users/profile-fields.ts'
import { addFormFaults } from '../../../../runtime/form-rules.ts'
import { isEmail } from '../../../../runtime/formats.ts'
import { Faults } from '../../../../runtime/validation.ts'
import { optionalAddressFault, senderFault } from '../../../../server/settings/text-faults.ts'

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

/** Returns true if the rules of a user accept an address. */
function isAccepted(email: string): boolean {
  const faults = new Faults()
  addFormFaults(profileForm, { email }, 0, faults)
  return faults.count === 0
}

it('an address that is invalid in its stored form is refused', () => {
  for (const written of ['a\u037eb@example.test', '\u037e@example.test']) {
    expect(isEmail(written)).toBe(true)
    expect(isAccepted(written)).toBe(false)
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

it.each(forms)('%j is an address: %s, in bodies and in settings', (address, isAddress) => {
  expect(isAccepted(address)).toBe(isAddress)
  expect(optionalAddressFault(address) === undefined).toBe(isAddress)
  expect(senderFault(address) === undefined).toBe(isAddress)
  expect(senderFault(`Ninefold <${address}>`) === undefined).toBe(isAddress)
})

it('a stored address is valid', () => {
  const part = fc.string({ unit: 'binary', minLength: 1, maxLength: 64 })
  fc.assert(
    fc.property(part, local => {
      const email = `${local}@example.test`
      if (isAccepted(email)) expect(isEmail(normalEmail(email))).toBe(true)
    }),
    { numRuns: 2000 },
  )
})
