import { describe, expect, it } from 'vitest'
import { owned, released } from '../../../runtime/media.ts'

const whole = () => new Uint8Array(100).fill(1)

describe('a released chunk', () => {
  it.each([
    ['of a host', () => owned(whole()), 0],
    ['of a host, twice in a list', () => owned(whole()), 0],
    ['of a host, in a buffer with other bytes', () => owned(whole().subarray(0, 50)), 100],
    ['of a caller', whole, 100],
  ])('%s keeps the memory of others', (name, make, bytes) => {
    const chunk = make()
    const { buffer } = chunk
    released(name.includes('twice') ? [chunk, chunk] : [chunk])
    expect(buffer.byteLength).toBe(bytes)
  })
})
