import { expect, test } from 'vitest'
import { nameInCommonName } from '../../../../domain/vault/certificates/names/certified-names.ts'
import { isAllowedBy, rulesOf } from '../../../../domain/vault/certificates/names/name-constraints.ts'
import {
  addressRange,
  dnsName,
  emailAddress,
  ipAddress,
  uri,
} from '../../../../domain/vault/certificates/names/name-forms.ts'
import {
  dnsPattern,
  isAllowedByTemplate,
  uriPrefix,
  type NameLists,
} from '../../../../domain/vault/certificates/names/template-names.ts'

test.each([
  ['WWW.Example.com', 'www.example.com'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['*.example.com', '*.example.com'],
  ['localhost', 'localhost'],
  ['a.*.example.com', undefined],
  ['w*.example.com', undefined],
  ['*', undefined],
  ['*.*.example.com', undefined],
  ['example.com.', undefined],
  ['.example.com', undefined],
  ['a..example.com', undefined],
  ['-a.example.com', undefined],
  ['a_b.example.com', undefined],
  ['a b.example.com', undefined],
  ['a%2eb.example.com', undefined],
  ['192.0.2.1', undefined],
  ['1.2.3', undefined],
  ['0x7f.1', undefined],
  ['a.0x1', undefined],
  ['xn--', undefined],
  ['evil.com\0.example.com', undefined],
  [`${'a'.repeat(64)}.example`, undefined],
  [`${'a.'.repeat(127)}example`, undefined],
])('the DNS name %j becomes %j', (text, name) => expect(dnsName(text)).toBe(name))

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['192.0.2.01', undefined],
  ['192.0.2', undefined],
  ['0x7f000001', undefined],
  ['fe80::1%eth0', undefined],
  ['0a0b0c0d0e', undefined],
])('the address %j becomes %j', (text, name) => expect(ipAddress(text)).toBe(name))

test.each([
  ['10.0.0.0/8', true],
  ['10.0.0.1/8', false],
  ['0.0.0.0/0', true],
  ['2001:db8::/32', true],
  ['2001:db8::1/32', false],
  ['10.0.0.0/33', false],
  ['10.0.0.0/08', false],
  ['::ffff:10.0.0.0/104', false],
])('%j is a range: %j', (text, isRange) => expect(addressRange(text) !== undefined).toBe(isRange))

test.each([
  ['spiffe://Acme.Example/web', 'spiffe://acme.example/web'],
  ['urn:uuid:1', 'urn:uuid:1'],
  ['https://a.example/x/../admin', undefined],
  ['https://a.example/x/%2E%2e/admin', undefined],
  ['https://a.example/a b', undefined],
  ['https:///x', undefined],
  ['no-scheme', undefined],
  ['https://a.example\\@evil.example', undefined],
])('the URI %j becomes %j', (text, name) => expect(uri(text)?.text).toBe(name))

test.each([
  ['Web@Acme.Example', 'Web@acme.example'],
  ['a@b@acme.example', undefined],
  ['"a b"@acme.example', undefined],
  ['@acme.example', undefined],
  ['a@', undefined],
])('the address %j becomes %j', (text, name) => expect(emailAddress(text)).toBe(name))

const lists: NameLists = {
  allowed_dns_names: ['host.example.com', '*.one.example', '**.deep.example'],
  allow_wildcard_names: true,
  allowed_ip_ranges: ['10.0.0.0/8', '2001:db8::/32'],
  allowed_uri_prefixes: ['https://a.example', 'spiffe://acme.example/team'],
  allowed_email_domains: ['acme.example'],
}

test.each([
  ['dns', 'host.example.com', true],
  ['dns', 'x.host.example.com', false],
  ['dns', 'example.com', false],
  ['dns', 'a.one.example', true],
  ['dns', '*.one.example', true],
  ['dns', 'one.example', false],
  ['dns', 'a.b.one.example', false],
  ['dns', '*.b.one.example', false],
  ['dns', 'aone.example', false],
  ['dns', 'a.b.deep.example', true],
  ['dns', '*.b.deep.example', true],
  ['dns', 'deep.example', false],
  ['dns', 'adeep.example', false],
  ['ip', '10.255.0.1', true],
  ['ip', '11.0.0.1', false],
  ['ip', '2001:db8::1', true],
  ['ip', '2001:db9::1', false],
  ['uri', 'https://a.example', true],
  ['uri', 'https://a.example/x', true],
  ['uri', 'https://a.example.evil.org', false],
  ['uri', 'https://a.example@evil.org/', false],
  ['uri', 'https://a.example:8443/', false],
  ['uri', 'http://a.example/', false],
  ['uri', 'spiffe://acme.example/team', true],
  ['uri', 'spiffe://acme.example/team/web', true],
  ['uri', 'spiffe://acme.example/teams', false],
  ['uri', 'spiffe://acme.example/team%2f..%2fadmin', false],
  ['email', 'a@acme.example', true],
  ['email', 'a@b.acme.example', false],
] as const)('a template allows the %s name %j: %j', (kind, text, isAllowed) => {
  expect(isAllowedByTemplate(lists, { kind, text })).toBe(isAllowed)
})

test('a template without wildcards allows none, and an empty one no name', () => {
  const strict = { ...lists, allow_wildcard_names: false }
  expect(isAllowedByTemplate(strict, { kind: 'dns', text: '*.one.example' })).toBe(false)
  const none = {
    allowed_dns_names: [],
    allow_wildcard_names: true,
    allowed_ip_ranges: [],
    allowed_uri_prefixes: [],
    allowed_email_domains: [],
  }
  for (const name of [
    { kind: 'dns', text: 'a.example' },
    { kind: 'ip', text: '10.0.0.1' },
    { kind: 'uri', text: 'https://a.example/' },
    { kind: 'email', text: 'a@acme.example' },
  ] as const)
    expect(isAllowedByTemplate(none, name)).toBe(false)
})

const rules = rulesOf({
  permitted_dns_names: ['example.com'],
  excluded_dns_names: ['secret.example.com'],
  permitted_ip_ranges: ['10.0.0.0/8'],
  excluded_ip_ranges: ['10.1.0.0/16'],
  permitted_email_domains: ['example.com'],
})

test.each([
  ['dns', 'example.com', true],
  ['dns', 'a.b.example.com', true],
  ['dns', 'badexample.com', false],
  ['dns', '*.a.example.com', true],
  ['dns', 'secret.example.com', false],
  ['dns', 'a.secret.example.com', false],
  ['dns', '*.example.com', false],
  ['ip', '10.0.0.1', true],
  ['ip', '10.1.0.1', false],
  ['ip', '2001:db8::1', false],
  ['email', 'a@example.com', true],
  ['email', 'a@b.example.com', false],
  ['uri', 'https://evil.example/', true],
] as const)('name constraints allow the %s name %j: %j', (kind, text, isAllowed) => {
  expect(isAllowedBy(rules, { kind, text })).toBe(isAllowed)
})

test.each([
  ['www.example.com', { kind: 'dns', text: 'www.example.com' }],
  ['*.evil.com', { kind: 'dns', text: '*.evil.com' }],
  ['192.0.2.1', { kind: 'ip', text: '192.0.2.1' }],
  ['a@acme.example', { kind: 'email', text: 'a@acme.example' }],
  ['Jane Doe', undefined],
])('the common name %j counts as %j', (text, name) => expect(nameInCommonName(text, 'config')).toEqual(name))

test.each(['evil.com.', ' evil.com', 'a_b.evil.com', 'evil\u3002com.', '1.2.3'])(
  'the common name %j looks like a host, and is refused',
  text => expect(() => nameInCommonName(text, 'config')).toThrow(/looks like a host name/),
)

test.each([
  ['*.example.com', '*.example.com'],
  ['**.Example.com', '**.example.com'],
  ['***.example.com', undefined],
  ['a.*.example.com', undefined],
  ['*', undefined],
])('the pattern %j becomes %j', (text, pattern) => expect(dnsPattern(text)).toBe(pattern))

test.each(['https://a.example/?q', 'https://a.example/#f', 'urn:a', 'https://'])('%j is no beginning of URIs', text =>
  expect(uriPrefix(text)).toBe(undefined),
)
