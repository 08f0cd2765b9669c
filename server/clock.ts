import { randomInt, randomUUID } from 'node:crypto'
import type { Clock } from '../domain/ports/clock.ts'

/** The 12 bits behind the time count up within a millisecond; starting low leaves room to count. */
const counterSize = 4096
const counterStart = 1024

/**
 * A clock whose ids are UUIDv7 (RFC 9562 §6.2, method 1): they grow even when the time stands still or goes back.
 * `now` gives milliseconds since 1970.
 */
export function createClock(now: () => number = Date.now): Clock {
  let last = 0
  let counter = 0
  const advance = (): void => {
    const time = now()
    counter += 1
    if (time <= last && counter < counterSize) return
    last = Math.max(time, last + 1)
    counter = randomInt(counterStart)
  }
  return {
    now,
    newId() {
      advance()
      const time = last.toString(16).padStart(12, '0')
      const count = counter.toString(16).padStart(3, '0')
      return `${time.slice(0, 8)}-${time.slice(8)}-7${count}-${randomUUID().slice(19)}`
    },
  }
}
