import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { hmacSha256 } from '../../server/hmac.ts'

const key = fc.uint8Array({ minLength: 0, maxLength: 64 })
const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary', minLength: 1300, maxLength: 5000 }))

it('equals node:crypto, for consecutive texts', () => {
  fc.assert(
    fc.property(key, fc.array(text, { maxLength: 5 }), (bytes, texts) => {
      const mac = hmacSha256(bytes)
      const made = texts.map(each => Buffer.from(mac(each), 'latin1').toString('hex'))
      expect(made).toEqual(texts.map(each => createHmac('sha256', bytes).update(each).digest('hex')))
    }),
  )
})

it('equals RFC 4231, test case 2', () => {
  const mac = hmacSha256(Buffer.from('Jefe'))('what do ya want for nothing?')
  expect(Buffer.from(mac, 'latin1').toString('hex')).toBe(
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  )
})

it('refuses a key that would have to be hashed first', () => {
  expect(() => hmacSha256(new Uint8Array(65))).toThrow('at most 64 bytes')
})
