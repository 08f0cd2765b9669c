import { expect, it } from 'vitest'
import { isLoopback } from '../../../server/health/loopback.ts'

it.each<[string, boolean]>([
  ['127.0.0.1', true],
  ['127.255.0.9', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['::FFFF:127.0.0.1', true],
  ['', false],
  ['10.0.0.1', false],
  ['::ffff:10.0.0.1', false],
  ['::', false],
  ['::11', false],
  ['fe80::1', false],
  ['127.0.0.1.example', false],
  ['2001:db8::127.0.0.1', false],
])('a loopback address is distinguished from other addresses: %s', (address, expected) => {
  expect(isLoopback(address)).toBe(expected)
})
