import { describe, expect, it } from 'vitest'
import { addressBytes, broadcastMac, dhcp, ethernet, ipv4, readDhcp, readFrame, udp, type DhcpForm } from '../frames.ts'
import { TestNet, type TestPort } from '../test-net.ts'

const kinds = { discover: 1, request: 3, decline: 4, release: 7, inform: 8 } as const
const gateway = '10.20.1.1'

/** Sends a message of a client without an address; the result is the answer, or the outcome without an answer. */
function ask(net: TestNet, port: TestPort, form: Omit<DhcpForm, 'mac'> & { readonly mac?: string }, from = '0.0.0.0') {
  const to = from === '0.0.0.0' ? '255.255.255.255' : gateway
  const content = udp(68, 67, dhcp({ mac: port.mac, ...form }))
  const outcome = net.send(port, ethernet(broadcastMac, port.mac, 0x0800, ipv4({ from, to, protocol: 17, content })))
  const [frame] = port.received.splice(0)
  return frame === undefined ? outcome : { ...readDhcp(frame), frame: readFrame(frame) }
}

function openNet() {
  const net = new TestNet()
  return { net, a: net.add('a', 1, 2), c: net.add('c', 2, 7) }
}

/** The options of a lease of port a: mask, router, resolver, MTU, broadcast, an hour, the server. */
const lease = {
  1: 'ffffff00',
  3: '0a140101',
  6: '0a1401fe',
  26: '0578',
  28: '0a1401ff',
  51: '00000e10',
  54: '0a140101',
}

describe('DHCP', () => {
  it('offers the address of the port, and confirms the offer', () => {
    const { a, net } = openNet()
    expect(ask(net, a, { kind: kinds.discover })).toMatchObject({
      from: gateway,
      to: a.ip,
      ports: [67, 68],
      transaction: '12345678',
      yourAddress: a.ip,
      mac: a.mac,
      options: { ...lease, 53: '02' },
      frame: { to: a.mac, from: net.gatewayMac(a) },
      length: 300,
    })
    const options = { 50: addressBytes(a.ip), 54: addressBytes(gateway) }
    expect(ask(net, a, { kind: kinds.request, options })).toMatchObject({
      yourAddress: a.ip,
      options: { ...lease, 53: '05' },
    })
    expect(a.counts.toJSON()).toEqual({ received: 2, answered: 2 })
  })

  it('gives the name servers of the subnet, if it has any', () => {
    const { c, net } = openNet()
    const expected = { 3: '0a140201', 6: '0909090901010101' }
    expect(ask(net, c, { kind: kinds.discover })).toMatchObject({ from: '10.20.2.1', options: expected })
  })

  it('broadcasts an answer to a client that asks for a broadcast', () => {
    const { a, net } = openNet()
    const answer = { to: '255.255.255.255', frame: { to: broadcastMac } }
    expect(ask(net, a, { kind: kinds.discover, flags: 0x8000 })).toMatchObject(answer)
  })

  it('renews a lease by a packet to the gateway', () => {
    const { a, net } = openNet()
    const renewed = ask(net, a, { kind: kinds.request, clientAddress: a.ip }, a.ip)
    expect(renewed).toMatchObject({ to: a.ip, yourAddress: a.ip, options: { 53: '05' } })
  })

  it.each([
    ['a requested address', { options: { 50: addressBytes('10.20.1.3') } }],
    ['the address of an earlier lease', { clientAddress: '10.99.0.1' }],
  ])('refuses %s of another host', (_, form) => {
    const { a, net } = openNet()
    expect(ask(net, a, { kind: kinds.request, ...form })).toMatchObject({
      to: '255.255.255.255',
      yourAddress: '0.0.0.0',
      options: { 53: '06', 54: '0a140101' },
    })
  })

  it('gives options without a lease to a host that has an address', () => {
    const { a, net } = openNet()
    const answer = ask(net, a, { kind: kinds.inform, clientAddress: a.ip }, a.ip)
    expect(answer).toMatchObject({ yourAddress: '0.0.0.0', options: { 53: '05', 3: '0a140101' } })
    expect(answer).not.toHaveProperty('options.51')
  })

  it.each([
    [
      'a request to another server',
      { kind: kinds.request, options: { 54: addressBytes('10.20.1.9') } },
      'dhcp_unanswered',
    ],
    ['a release', { kind: kinds.release }, 'dhcp_unanswered'],
    ['a decline', { kind: kinds.decline }, 'dhcp_unanswered'],
    ['an unknown message', { kind: 99 }, 'dhcp_unanswered'],
    ['a message for another MAC address', { kind: kinds.discover, mac: '02:00:00:00:00:09' }, 'source_mac'],
  ])('does not answer %s', (_, form, reason) => {
    const { a, net } = openNet()
    expect(ask(net, a, form)).toBe(reason)
  })

  it('needs no rule, and does not let other packets from 0.0.0.0 pass', () => {
    const { a, net } = openNet()
    net.setRules('red', {
      name: 'deny-all',
      priority: 1,
      direction: 'NETWORK_FIREWALL_DIRECTION_EGRESS',
      action: 'NETWORK_FIREWALL_ACTION_DENY',
      protocols: [{ protocol: 'NETWORK_PROTOCOL_ANY' }],
    })
    expect(ask(net, a, { kind: kinds.discover })).toMatchObject({ yourAddress: a.ip })
    const packet = ipv4({ from: '0.0.0.0', to: '255.255.255.255', protocol: 17, content: udp(68, 68) })
    expect(net.send(a, ethernet(broadcastMac, a.mac, 0x0800, packet))).toBe('source_address')
  })

  it.each([0, 7, 240, 241, 243])('drops a message that ends after %d bytes', length => {
    const { a, net } = openNet()
    const message = dhcp({ kind: kinds.discover, mac: a.mac }).subarray(0, length)
    const packet = ipv4({ from: '0.0.0.0', to: '255.255.255.255', protocol: 17, content: udp(68, 67, message) })
    const outcome = net.send(a, ethernet(broadcastMac, a.mac, 0x0800, packet))
    expect(outcome).toBe(length < 243 ? 'malformed' : 'answered')
  })
})
