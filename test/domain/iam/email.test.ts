import { expect, it } from 'vitest'
import { normalEmail } from '../../../domain/iam/email.ts'

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
