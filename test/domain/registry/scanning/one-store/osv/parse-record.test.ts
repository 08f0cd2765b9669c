import { describe, expect, it } from 'vitest'
import { parseRecord, RecordFault } from '../../../../../../domain/registry/scanning/osv/parse-record.ts'

const least = { id: 'A-1', modified: '2026-01-02T03:04:05Z' }
const openssl = { package: { ecosystem: 'Debian:12', name: 'openssl' } }

describe('a record of OSV', () => {
  it('is read with what it affects', () => {
    const record = parseRecord({
      ...least,
      schema_version: '1.7.0',
      withdrawn: null,
      aliases: ['CVE-1', 'A-1', 'CVE-1'],
      upstream: ['CVE-2'],
      related: ['CVE-3'],
      details: '\nThe first line.\nThe second line.',
      references: [
        { type: 'WEB', url: 'https://example.org/1' },
        { type: 'WEB', url: 'https://example.org/1' },
      ],
      severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
      affected: [
        {
          ...openssl,
          ranges: [
            { type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '3.0.11-1~deb12u2' }, { unheard: 'x' }] },
            { type: 'SEMVER', events: [{ introduced: '1.0.0', last_affected: '1.2.0' }, { limit: '*' }] },
            { type: 'GIT', repo: 'https://example.org/r', events: [{ introduced: '0' }] },
          ],
          versions: ['3.0.9-1'],
          database_specific: { anything: [] },
        },
        { ranges: [{ type: 'GIT', repo: 'https://example.org/r', events: [] }] },
      ],
    })
    expect(record).toEqual({
      id: 'A-1',
      modifiedMs: Date.UTC(2026, 0, 2, 3, 4, 5),
      isWithdrawn: false,
      aliases: ['CVE-1'],
      upstream: ['CVE-2'],
      summary: 'The first line.',
      references: ['https://example.org/1'],
      scores: [{ version: '3.1', vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', score: 9.8 }],
      affected: [
        {
          ecosystem: 'Debian:12',
          name: 'openssl',
          ranges: [
            {
              isSemver: false,
              events: [
                { kind: 'introduced', version: '0' },
                { kind: 'fixed', version: '3.0.11-1~deb12u2' },
              ],
            },
            {
              isSemver: true,
              events: [
                { kind: 'introduced', version: '1.0.0' },
                { kind: 'last_affected', version: '1.2.0' },
                { kind: 'limit', version: '*' },
              ],
            },
          ],
          versions: ['3.0.9-1'],
          scores: [],
        },
      ],
    })
  })

  it('is withdrawn from any time on', () => {
    expect(parseRecord({ ...least, withdrawn: '2026-01-01T00:00:00Z' }).isWithdrawn).toBe(true)
  })

  it('takes null for a member that is absent', () => {
    const record = parseRecord({
      ...least,
      aliases: null,
      affected: null,
      severity: null,
      references: null,
      summary: null,
    })
    expect(record).toMatchObject({ aliases: [], affected: [], scores: [], references: [], summary: '' })
  })

  it('keeps a bounded part of what is for people', () => {
    const references = Array.from({ length: 200 }, (_, i) => ({ url: `https://example.org/${i}` }))
    const odd = [{ url: 'no address' }, { url: 7 }, { url: `https://example.org/${'x'.repeat(3000)}` }]
    const record = parseRecord({ ...least, summary: 'x'.repeat(10_000), references: [...odd, ...references] })
    expect(record.summary).toHaveLength(500)
    expect(record.references).toHaveLength(50)
    expect(record.references[0]).toBe('https://example.org/0')
  })

  it('leaves out severities that are no scores', () => {
    const severity = [
      { type: 'Ubuntu', score: 'medium' },
      { type: 'CVSS_V3', score: 'CVSS:3.1/AV:N' },
      { type: 'CVSS_V4' },
    ]
    expect(parseRecord({ ...least, severity }).scores).toEqual([])
  })
})

describe('a record in another form', () => {
  const affected = (parts: object) => ({ ...least, affected: [{ ...openssl, ...parts }] })
  const ranges = (range: unknown) => affected({ ranges: [range] })

  it.each([
    ['nothing', null, 'the record'],
    ['a list', [], 'the record'],
    ['a text', 'A-1', 'the record'],
    ['no id', { modified: least.modified }, 'id'],
    ['an empty id', { ...least, id: '' }, 'id'],
    ['a number as id', { ...least, id: 1 }, 'id'],
    ['a long id', { ...least, id: 'A'.repeat(257) }, 'id'],
    ['half a character in the id', { ...least, id: '\ud800' }, 'id'],
    ['a zero character in the id', { ...least, id: 'A\0' }, 'id'],
    ['no time', { id: 'A-1' }, 'modified'],
    ['a wrong time', { ...least, modified: 'yesterday' }, 'modified'],
    ['aliases that are no list', { ...least, aliases: 'CVE-1' }, 'aliases'],
    ['an alias that is no text', { ...least, aliases: [1] }, 'aliases[]'],
    ['affected that is no list', { ...least, affected: {} }, 'affected'],
    ['an affected text', { ...least, affected: ['openssl'] }, 'affected[]'],
    [
      'a package without a name',
      { ...least, affected: [{ package: { ecosystem: 'npm' } }] },
      'affected[].package.name',
    ],
    [
      'a package without an ecosystem',
      { ...least, affected: [{ package: { name: 'a' } }] },
      'affected[].package.ecosystem',
    ],
    ['ranges that are no list', affected({ ranges: {} }), 'affected[].ranges'],
    ['a range without a type', ranges({ events: [] }), 'affected[].ranges[].type'],
    ['events that are no list', ranges({ type: 'SEMVER', events: 7 }), 'affected[].ranges[].events'],
    ['an event that is a text', ranges({ type: 'SEMVER', events: ['0'] }), 'affected[].ranges[].events[]'],
    ['an event of a number', ranges({ type: 'SEMVER', events: [{ fixed: 1 }] }), 'affected[].ranges[].events[].fixed'],
    ['a version that is no text', affected({ versions: [1] }), 'affected[].versions[]'],
    ['a long version', affected({ versions: ['1'.repeat(1025)] }), 'affected[].versions[]'],
    ['a severity that is no list', { ...least, severity: 'HIGH' }, 'severity'],
  ])('is refused: %s', (_, value, member) => {
    expect(() => parseRecord(value)).toThrow(RecordFault)
    expect(() => parseRecord(value)).toThrow(`${member} must`)
  })
})
