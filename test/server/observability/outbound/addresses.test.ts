import { describe, expect, it } from 'vitest'
import { AddressRules } from '../../../../server/observability/outbound/address-rules.ts'

const none = new AddressRules([])

describe('addresses to which no request goes', () => {
  it.each([
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '100.64.0.1',
    '100.100.100.200',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.192',
    '192.88.99.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.19.255.255',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::7f00:1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:0a00:0001',
    '::ffff:169.254.169.254',
    '64:ff9b::10.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    '2002:7f00:1::',
    '2002:a00:1::1',
    '2002:c0a8:101::',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'febf::1',
    'fec0::1',
    'ff02::1',
  ])('%s', address => {
    expect(none.fault(address)).toMatch(/address/)
  })
})

describe('addresses to which requests go', () => {
  it.each([
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.1',
    '169.253.255.255',
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.1',
    '192.167.255.255',
    '198.17.255.255',
    '198.51.100.7',
    '223.255.255.255',
    '::ffff:1.1.1.1',
    '64:ff9b::1.1.1.1',
    '2001:4860:4860::8888',
    '2002:101:101::1',
    '2606:4700::1111',
  ])('%s', address => {
    expect(none.fault(address)).toBeUndefined()
  })
})

describe('networks that the operator allows', () => {
  const rules = new AddressRules(['10.1.0.0/16', '127.0.0.0/8', 'fd00:1::/32'])

  it.each(['10.1.2.3', '::ffff:10.1.2.3', '127.0.0.1', 'fd00:1::5', '64:ff9b::10.1.2.3', '2002:a01:1::'])(
    'have %s',
    address => {
      expect(rules.fault(address)).toBeUndefined()
    },
  )

  it.each(['10.2.0.1', 'fd00:2::1', '::1', '169.254.169.254', '64:ff9b::10.2.0.1'])('lack %s', address => {
    expect(rules.fault(address)).toBeDefined()
    expect(rules.isAllowed(address)).toBe(false)
  })
})
