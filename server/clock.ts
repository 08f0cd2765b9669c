import { randomInt, randomUUID } from 'node:crypto'
import type { Clock } from '../domain/ports/clock.ts'

/**
 * The number of values of the counter in the 12 bits after the time, and the exclusive bound of its random start. The
 * counter counts up within a millisecond, so the low start leaves room.
 */
const counterSize = 4096
const counterStart = 1024

/** The version bits of a UUIDv7, which precede the counter. */
const version7 = 0x7000

/**
 * Returns a clock whose ids are UUIDv7 (RFC 9562 §6.2, method 1). The ids ascend even if the time stands still or is
 * set back. `now` returns milliseconds since 1970.
 */
export function createClock(now: () => number = Date.now): Clock {
  let last = 0
  let counter = 0
  let prefix = ''
  const advance = (): void => {
    const time = now()
    counter += 1
    if (time <= last && counter < counterSize) return
    last = Math.max(time, last + 1)
    counter = randomInt(counterStart)
    const text = last.toString(16).padStart(12, '0')
    prefix = `${text.slice(0, 8)}-${text.slice(8)}-`
  }
  return {
    now,
    newId() {
      advance()
      return `${prefix}${(version7 + counter).toString(16)}-${randomUUID().slice(19)}`
    },
  }
}
