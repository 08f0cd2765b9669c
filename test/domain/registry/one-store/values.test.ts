import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { imageFacts } from '../../../../domain/registry/manifests/image-config.ts'
import { chunkRange } from '../../../../domain/registry/plane/content-range.ts'
import { parseScopes } from '../../../../domain/registry/tokens/scopes.ts'
import { digestText, isDigest, parseDigest } from '../../../../domain/registry/values/digest.ts'
import { matchesGlob } from '../../../../domain/resources/glob.ts'
import { isPathName, isTag } from '../../../../domain/registry/values/names.ts'
import { threadCpuMs } from '../../../cpu-time.ts'
import { digestOf } from '../oci-client.ts'

/** The definition of a glob by an expression, which takes exponential time for some patterns. */
const byExpression = (pattern: string, text: string): boolean =>
  new RegExp(`^${pattern.replaceAll('?', '.').replaceAll('*', '.*')}$`, 's').test(text)

describe('a glob', () => {
  it('matches as its definition says', () => {
    const of = (letters: string) => fc.string({ unit: fc.constantFrom(...letters), maxLength: 8 })
    fc.assert(
      fc.property(of('ab/*?'), of('ab/'), (pattern, text) => {
        expect(matchesGlob(pattern, text)).toBe(byExpression(pattern, text))
      }),
      { numRuns: 2000 },
    )
  })

  it('with many stars takes no time', () => {
    const before = threadCpuMs()
    expect(matchesGlob(`${'*a'.repeat(60)}b`, 'a'.repeat(5000))).toBe(false)
    expect(threadCpuMs() - before).toBeLessThan(500)
  })
})

describe('names', () => {
  it.each(['a', 'a/b', 'acme/web/api', 'a.b_c__d---e/f0', '0'])('take %s', name => expect(isPathName(name)).toBe(true))
  it.each(['', 'A', '/a', 'a/', 'a//b', '.a', 'a.', 'a..b', 'a___b', '-a', 'a:b', `a${'b'.repeat(256)}`])(
    'refuse "%s"',
    name => expect(isPathName(name)).toBe(false),
  )
  it.each([
    ['v1', true],
    ['_x.Y-z', true],
    ['a'.repeat(128), true],
    ['a'.repeat(129), false],
    ['.a', false],
    ['-a', false],
    ['a/b', false],
    ['a:b', false],
    ['', false],
  ])('a tag %s: %s', (tag, isOne) => expect(isTag(tag)).toBe(isOne))
})

describe('a digest', () => {
  it.each(['sha256', 'sha512'] as const)('of %s is parsed and printed', algorithm => {
    const text = digestOf('x', algorithm)
    const digest = parseDigest(text)
    expect(digest && digestText(digest)).toBe(text)
    for (const wrong of [text.toUpperCase(), text.slice(1), `${text}0`, `${text}:`, text.replace(':', '')])
      expect(isDigest(wrong)).toBe(false)
  })

  it('of another algorithm is none', () => {
    for (const text of [`md5:${'a'.repeat(32)}`, `toString:${'a'.repeat(64)}`, ':', ''])
      expect(isDigest(text)).toBe(false)
  })
})

describe('scopes', () => {
  it.each([
    [['repository:a/b:pull'], [{ type: 'repository', name: 'a/b', actions: ['pull'] }]],
    [['repository:host:5000/a:pull,push'], [{ type: 'repository', name: 'host:5000/a', actions: ['pull', 'push'] }]],
    [['repository(plugin):a:pull'], [{ type: 'repository', name: 'a', actions: ['pull'] }]],
    [
      ['repository:a:pull repository:b:pull', 'repository:a:push,pull'],
      [
        { type: 'repository', name: 'a', actions: ['pull', 'push'] },
        { type: 'repository', name: 'b', actions: ['pull'] },
      ],
    ],
    [['repository:a', ':a:pull', '', ' ', 'x'], []],
  ])('%j are %j', (texts, scopes) => expect(parseScopes(texts)).toEqual(scopes))
})

describe('the range of a chunk', () => {
  it.each([
    [undefined, undefined],
    ['0-9', { first: 0, last: 9 }],
    ['bytes 5-5/10', { first: 5, last: 5 }],
    ['bytes 5-6/*', { first: 5, last: 6 }],
    ['1-0', 'malformed'],
    ['-1', 'malformed'],
    ['0-', 'malformed'],
    ['0-1, 2-3', 'malformed'],
    ['9999999999999999-99999999999999999', 'malformed'],
  ])('%s is %j', (header, range) => expect(chunkRange(header)).toEqual(range))
})

describe('the config of an image', () => {
  const facts = (text: string) => imageFacts(new TextEncoder().encode(text))

  it('says the platform and the time of the build', () => {
    expect(
      facts('{"os": "linux", "architecture": "arm64", "variant": "v8", "created": "2026-01-02T03:04:05.6789Z"}'),
    ).toEqual({
      platform: { os: 'linux', architecture: 'arm64', variant: 'v8', os_version: '' },
      image_created_time: '2026-01-02T03:04:05.678Z',
    })
  })

  it.each([
    '',
    '{',
    '[]',
    'null',
    '{}',
    '{"os": 1, "architecture": []}',
    '{"created": "soon"}',
    `{"os": "${'a'.repeat(256)}", "architecture": "b"}`,
    `${'['.repeat(500)}`,
  ])('%s says nothing', text => expect(facts(text)).toEqual({}))
})
