import fc from 'fast-check'
import { expect, it } from 'vitest'
import { normalEmail } from '../../../../domain/iam/values/email.ts'
import { checkProfile } from '../../../../domain/iam/users/profile-fields.ts'
import { isEmail } from '../../../../runtime/formats.ts'
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
