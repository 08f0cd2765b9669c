import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clientAddressOf, proxyList } from '../../../server/http/client-address.ts'

const proxies = proxyList(['10.0.0.0/8', '192.0.2.7', 'fd00::/8'])

describe('the address of a caller', () => {
  it.each<[string, string, string, string]>([
    ['the peer without the header', '10.0.0.1', '', '10.0.0.1'],
    ['a peer that is not a proxy, whatever its headers', '203.0.113.1', '198.51.100.9', '203.0.113.1'],
    ['a neighbour of a single trusted address', '192.0.2.8', '198.51.100.9', '192.0.2.8'],
    ['the address that a proxy adds', '192.0.2.7', '198.51.100.9', '198.51.100.9'],
    ['the right-most address that is not trusted', '10.0.0.1', '1.1.1.1, 198.51.100.9, 10.2.3.4', '198.51.100.9'],
    ['the right-most address without spaces', '10.0.0.1', '1.1.1.1,198.51.100.9,10.2.3.4', '198.51.100.9'],
    ['the left-most address if all are trusted', '10.0.0.1', '10.9.9.9, 10.2.3.4', '10.9.9.9'],
    ['a trusted peer in its mapped form', '::ffff:10.0.0.1', '198.51.100.9', '198.51.100.9'],
    ['a mapped entry in its plain form', '10.0.0.1', '::ffff:198.51.100.9', '198.51.100.9'],
    ['a trusted peer of IPv6', 'fd00::1', '2001:DB8:0:0::7', '2001:db8::7'],
    ['an entry with a port', '10.0.0.1', '198.51.100.9:4711', '198.51.100.9'],
    ['an entry of IPv6 with a port', '10.0.0.1', '[2001:db8::7]:4711', '2001:db8::7'],
    ['the proxy after an entry without an address', '10.0.0.1', '198.51.100.9, unknown', '10.0.0.1'],
    ['the inner proxy after an entry without an address', '10.0.0.1', '198.51.100.9, unknown, 10.5.5.5', '10.5.5.5'],
    ['the proxy after an empty entry', '10.0.0.1', '198.51.100.9, ', '10.0.0.1'],
    ['the proxy after an entry with a zone', '10.0.0.1', 'fe80::1%eth0', '10.0.0.1'],
    ['the proxy after a very long entry', '10.0.0.1', '9'.repeat(60_000), '10.0.0.1'],
    ['the peer after a malformed address', '', '198.51.100.9', ''],
  ])('is %s', (_name, peer, forwarded, address) => {
    expect(clientAddressOf(peer, forwarded, proxies)).toBe(address)
  })

  it('is not changed by any text that a caller puts before the entry of the proxy', () => {
    const sent = fc.oneof(
      fc.string(),
      fc.ipV4(),
      fc.ipV6(),
      fc.array(fc.ipV4()).map(list => list.join(', ')),
    )
    fc.assert(
      fc.property(sent, text => {
        expect(clientAddressOf('10.0.0.1', `${text}, 198.51.100.9`, proxies)).toBe('198.51.100.9')
      }),
    )
  })

  it('is found in time linear in the length of the header', () => {
    const startMs = performance.now()
    expect(clientAddressOf('10.0.0.1', '10.0.0.2,'.repeat(100_000) + '10.0.0.3', proxies)).toBe('10.0.0.2')
    expect(performance.now() - startMs).toBeLessThan(5000)
  })
})
