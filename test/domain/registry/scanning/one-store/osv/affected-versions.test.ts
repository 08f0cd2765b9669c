import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fixesOf, withoutCovered } from '../../../../../../domain/registry/scanning/osv/affected-versions.ts'
import {
  osvEventKinds,
  type OsvEvent,
  type OsvRange,
} from '../../../../../../domain/registry/scanning/osv/osv-record.ts'

/** Returns a range of events such as `introduced 1.0`. */
const range = (events: readonly string[], isSemver = false): OsvRange => ({
  isSemver,
  events: events.map((text): OsvEvent => {
    const [given = '', version = ''] = text.split(' ')
    const kind = osvEventKinds.find(name => name === given)
    if (kind === undefined) throw new Error(`there is no event ${given}`)
    return { kind, version }
  }),
})

/** The fixes of a version of an npm package; undefined if it is not affected. */
const fixes = (events: readonly string[], version: string) =>
  fixesOf({ ranges: [range(events)], versions: [] }, 'npm', version)

describe('a range of affected versions', () => {
  it.each([
    [['introduced 0'], '0.0.1', []],
    [['introduced 0'], '0.0.0-alpha', []],
    [['introduced 0', 'fixed 1.2.0'], '1.1.9', ['1.2.0']],
    [['introduced 0', 'fixed 1.2.0'], '1.2.0-rc.1', ['1.2.0']],
    [['introduced 0', 'fixed 1.2.0'], '1.2.0', undefined],
    [['introduced 0', 'fixed 1.2.0'], '1.2.0+build', undefined],
    [['introduced 1.0.0', 'fixed 1.2.0'], '0.9.0', undefined],
    [['introduced 1.0.0', 'fixed 1.2.0'], '1.0.0', ['1.2.0']],
    [['introduced 1.0.0', 'last_affected 1.2.0'], '1.2.0', []],
    [['introduced 1.0.0', 'last_affected 1.2.0'], '1.2.1', undefined],
    [['introduced 1.0.0', 'last_affected 1.2.0', 'introduced 2.0.0', 'fixed 2.1.0'], '1.5.0', undefined],
    [['introduced 1.0.0', 'fixed 1.2.0', 'introduced 2.0.0', 'fixed 2.1.0'], '1.1.0', ['1.2.0']],
    [['introduced 1.0.0', 'fixed 1.2.0', 'introduced 2.0.0', 'fixed 2.1.0'], '1.2.5', undefined],
    [['introduced 1.0.0', 'fixed 1.2.0', 'introduced 2.0.0', 'fixed 2.1.0'], '2.0.5', ['2.1.0']],
    [['fixed 2.1.0', 'introduced 2.0.0', 'fixed 1.2.0', 'introduced 0'], '2.0.5', ['2.1.0']],
    [['introduced 0', 'fixed 1.0.0', 'introduced 1.0.0', 'fixed 2.0.0'], '1.0.0', ['2.0.0']],
    [['introduced 0', 'limit 1.0.0'], '0.9.0', []],
    [['introduced 0', 'limit 1.0.0'], '1.0.0', undefined],
    [['introduced 0', 'limit 1.0.0', 'limit 2.0.0'], '1.5.0', []],
    [['introduced 0', 'limit *'], '99.0.0', []],
    [['fixed 1.0.0'], '0.1.0', undefined],
    [[], '1.0.0', undefined],
  ])('of %j has %s with the fixes %j', (events, version, expected) => {
    expect(fixes(events, version)).toEqual(expected)
  })
})

describe('an affected package', () => {
  it('has the fix of each range that has the version, in the order of the versions', () => {
    const ranges = [
      range(['introduced 1.0', 'fixed 1.10']),
      range(['introduced 1.0', 'fixed 1.9']),
      range(['introduced 2.0', 'fixed 2.1']),
    ]
    expect(fixesOf({ ranges, versions: [] }, 'npm', '1.5')).toEqual(['1.9', '1.10'])
  })

  it('has the versions of its list, which have no fix', () => {
    const parts = { ranges: [range(['introduced 0', 'fixed 1.0'])], versions: ['3.0'] }
    expect(fixesOf(parts, 'npm', '3.0')).toEqual([])
    expect(fixesOf(parts, 'npm', '3.0.0')).toBeUndefined()
  })

  it.each([
    ['Debian:12', '3.0.11-1~deb12u1', '3.0.11-1~deb12u2'],
    ['Alpine:v3.20', '3.3.0-r2', '3.3.0-r10'],
    ['PyPI', '2.0rc1', '2.0'],
    ['Go', '1.22.0-rc.1', '1.22.0'],
    ['Maven', '2.0-rc1', '2.0'],
    ['RubyGems', '2.0.rc1', '2.0'],
  ])('has the order of %s, where %s is below %s', (ecosystem, version, fixed) => {
    const parts = { ranges: [range(['introduced 0', `fixed ${fixed}`])], versions: [] }
    expect(fixesOf(parts, ecosystem, version)).toEqual([fixed])
    expect(fixesOf(parts, ecosystem, fixed)).toBeUndefined()
  })

  it('has the order of Semantic Versioning where the range says so', () => {
    const events = ['introduced 0', 'fixed 1.0.0']
    expect(fixesOf({ ranges: [range(events, true)], versions: [] }, 'PyPI', '1.0.0-post1')).toEqual(['1.0.0'])
    expect(fixesOf({ ranges: [range(events)], versions: [] }, 'PyPI', '1.0.0-post1')).toBeUndefined()
  })

  it('has no ranges where the order of versions is unknown', () => {
    const parts = { ranges: [range(['introduced 0'])], versions: ['7'] }
    expect(fixesOf(parts, 'Unheard', '6')).toBeUndefined()
    expect(fixesOf(parts, 'Unheard', '7')).toEqual([])
  })

  it('affects the same versions without those that its ranges cover', () => {
    const version = fc.constantFrom('0', '0.9', '1.0', '1.5', '2.0', '2.5', '3.0')
    const event = fc.tuple(fc.constantFrom(...osvEventKinds), version).map(([kind, of]) => ({ kind, version: of }))
    const ranges = fc.array(fc.record({ isSemver: fc.boolean(), events: fc.array(event, { maxLength: 5 }) }), {
      maxLength: 3,
    })
    fc.assert(
      fc.property(ranges, fc.array(version), version, (given, versions, installed) => {
        const whole = { ranges: given, versions }
        const stored = withoutCovered(whole, 'npm')
        expect(stored.versions.length).toBeLessThanOrEqual(versions.length)
        expect(fixesOf(stored, 'npm', installed)).toEqual(fixesOf(whole, 'npm', installed))
      }),
    )
  })
})
