import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { Config } from '../../../../../server/observability/stack/retention/config.ts'
import { MalformedResult } from '../../../../../server/observability/stack/metrics/result-values.ts'

const path = ['compactor', 'compaction', 'block_retention']

const config = `---
# the configuration
target: all
text: |
  compactor:
    compaction:
      block_retention: 1h
folded: "compactor: 1
  compactor:"
other:
    compactor:
        compaction:
            block_retention: 2h
compactor_of_others:
    compaction:
        block_retention: 3h
compactor:

    # block_retention: 4h
    ring:
        block_retention: 5h
    compaction:
        nested:
            block_retention: 6h
        block_retention_of_others: 7h
        "block_retention": "336h0m0s" # two weeks
        compacted_block_retention: 8h
    list:
    - block_retention: 9h
overrides:
  '*':
    block_retention: 10h
  01a2210c-c3ad-71cd-b4c5-a4a681bcdff3: {}
`

describe('a value of a configuration', () => {
  it.each([
    ['as it is', config],
    ['with lines of another system', config.replaceAll('\n', '\r\n')],
  ])('is found at its path alone, %s', (_how, text) => {
    expect(new Config(text).value(path)).toBe('336h0m0s')
    expect(new Config(text).value(['overrides', '*', 'block_retention'])).toBe('10h')
    expect(new Config(text).value(['target'])).toBe('all')
  })

  it.each([
    [['target', 'all']],
    [['compaction', 'block_retention']],
    [['compactor']],
    [['compactor', 'list', 'x']],
    [['']],
  ])('is absent at %j', absent => {
    expect(new Config(config).value(absent)).toBeUndefined()
  })

  it('is found as the writer of YAML has written it', () => {
    const value = { z: [{ a: { b: 'no' } }], text: 'a:\n  b: no\n', a: { list: ['b: no'], b: "it's: 1d # no", c: 1 } }
    expect(new Config(stringify(value)).value(['a', 'b'])).toBe("it's: 1d # no")
  })

  it('has members at the paths that are maps too', () => {
    expect(new Config(config).has(['overrides', '*'])).toBe(true)
    expect(new Config(config).has(['overrides', '01a2210c-c3ad-71cd-b4c5-a4a681bcdff3'])).toBe(true)
    expect(new Config(config).has(['overrides', '01a2210c-c3ad-71cd-b4c5-a4a681bcdff4'])).toBe(false)
    expect(new Config(config).has(['overrides', 'constructor'])).toBe(false)
  })

  it.each(['*alias', '[1d]', '{a: 1d}', '"1d', '&a [*a]', `"${'x'.repeat(300)}"`, '!!binary x: y', '%TAG'])(
    'that is %s is malformed',
    value => {
      expect(() => new Config(`a:\n  b: ${value}\n`).value(['a', 'b'])).toThrow(MalformedResult)
    },
  )

  it.each([
    ['lists', `[${','.repeat(1_000_000)}`],
    ['tags', '!!x '.repeat(250_000)],
    ['aliases', `a: &a [1]\n${'b: *a\n'.repeat(150_000)}`],
    ['deep lists', '['.repeat(1_000_000)],
    ['deep maps', 'compactor: '.repeat(100_000)],
    ['names', 'compactor:\n'.repeat(100_000)],
    ['deeper and deeper lines', Array.from({ length: 1400 }, (_, i) => `${' '.repeat(i)}compactor:\n`).join('')],
    ['blanks', ' '.repeat(1_000_000)],
    ['empty lines', '\n'.repeat(1_000_000)],
    ['zeros', '\0'.repeat(1_000_000)],
    ['a page', '<!doctype html><html><body>compactor: 1</body></html>'],
  ])('is absent from a hostile text of %s, which is read at once', (_what, text) => {
    const begun = performance.now()
    expect(new Config(text).value(path)).toBeUndefined()
    expect(new Config(text).has(path)).toBe(false)
    expect(performance.now() - begun).toBeLessThan(3000)
  })
})
