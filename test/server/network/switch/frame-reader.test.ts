import { describe, expect, it } from 'vitest'
import { maxFrameBytes } from '../../../../domain/network/packets/packet-switch.ts'
import { FrameReader } from '../../../../server/network/switch/frame-reader.ts'
import { seeded } from '../../../areas/random.ts'

function openReader() {
  const frames: string[] = []
  const reader = new FrameReader({
    frame: (bytes, start, end) => void frames.push(Buffer.from(bytes.slice(start, end)).toString('hex')),
    oversize: () => void frames.push('oversize'),
  })
  return { frames, read: (bytes: Uint8Array) => reader.read(bytes, bytes.length) }
}

const prefixed = (frame: Uint8Array): Buffer => {
  const prefix = Buffer.alloc(4)
  prefix.writeUInt32BE(frame.length)
  return Buffer.concat([prefix, frame])
}

describe('the reader of frames', () => {
  it('finds the same frames however the stream is divided', () => {
    const seed = Date.now() % 2 ** 31
    const random = seeded(seed)
    for (let round = 0; round < 100; round += 1) {
      const lengths = [0, 1, 3, 4, 60, 1500, maxFrameBytes, maxFrameBytes + 1, 20_000]
      const frames = Array.from({ length: 8 }, () => Buffer.alloc(random.oneOf(lengths), random.below(256)))
      const stream = Buffer.concat(frames.map(prefixed))
      const { frames: found, read } = openReader()
      for (let at = 0; at < stream.length;) {
        const end = at + 1 + random.below(random.oneOf([3, 100, 30_000]))
        expect(read(stream.subarray(at, end))).toBe(true)
        at = end
      }
      const expected = frames.map(frame => (frame.length > maxFrameBytes ? 'oversize' : frame.toString('hex')))
      expect(found, `seed ${seed}`).toEqual(expected)
    }
  })

  it.each([
    ['as a whole', [Buffer.from('00011001', 'hex')]],
    ['in parts', [Buffer.from('00', 'hex'), Buffer.from('011001', 'hex')]],
    ['with the highest bit', [Buffer.from('ff000000', 'hex')]],
  ])('refuses a length that no frame of QEMU has, %s', (_, parts) => {
    const { frames, read } = openReader()
    expect(parts.map(read).at(-1)).toBe(false)
    expect(frames).toEqual([])
  })
})
