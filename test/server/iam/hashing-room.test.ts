import { expect, it } from 'vitest'
import { hashedAtOnce } from '../../../server/iam/hashing-room.ts'

it.each([
  { cores: 1, threads: 4, atOnce: 1 },
  { cores: 2, threads: 4, atOnce: 1 },
  { cores: 3, threads: 4, atOnce: 2 },
  { cores: 16, threads: 4, atOnce: 3 },
  { cores: 16, threads: 32, atOnce: 15 },
  { cores: 16, threads: 1, atOnce: 1 },
])('leaves a core and a thread of $cores and $threads free: $atOnce', ({ atOnce, cores, threads }) => {
  expect(hashedAtOnce({ cores, threads })).toBe(atOnce)
})
