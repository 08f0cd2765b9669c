import { expect, it } from 'vitest'
import { createClock } from '../../server/clock.ts'

const pattern = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/

it('ids are UUIDv7 of their creation time', () => {
  const id = createClock(() => 0x0123456789ab).newId()
  expect(id).toMatch(pattern)
  expect(id.slice(0, 13)).toBe('01234567-89ab')
})

it.each([
  ['stands still', () => 1_000_000],
  ['goes back', (i: number) => 1_000_000 - i],
  ['jumps', (i: number) => 1_000_000 + (i % 7) * 1000],
])('ids grow while the time %s', (_name, time) => {
  let i = 0
  const clock = createClock(() => time((i += 1)))
  const ids = Array.from({ length: 20_000 }, () => clock.newId())
  expect(ids.every(id => pattern.test(id))).toBe(true)
  expect([...ids].sort()).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
})
