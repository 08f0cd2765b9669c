import { describe, expect, it } from 'vitest'
import { parseCidr } from '../../../domain/addresses/cidr.ts'

describe('parseCidr', () => {
  it.each(['192.0.2.0/24', '0.0.0.0/0', '192.0.2.7/32', '2001:db8::/32', '::1/128', '::/0'])('parses %s', text => {
    expect(parseCidr(text)).toBeDefined()
  })

  it.each([
    '',
    '192.0.2.0',
    '192.0.2.0/33',
    '2001:db8::/129',
    '192.0.2/24',
    '192.0.2.256/24',
    'a/8',
    '1.2.3.4/',
    ':::/8',
  ])('refuses %j', text => {
    expect(parseCidr(text)).toBeUndefined()
  })

  it('contains the addresses whose first bits are equal', () => {
    const network = parseCidr('192.0.2.64/26')
    expect(['192.0.2.63', '192.0.2.64', '192.0.2.127', '192.0.2.128'].map(each => network?.contains(each))).toEqual([
      false,
      true,
      true,
      false,
    ])
  })
})
