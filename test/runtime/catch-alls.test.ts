import { attempts } from './precedence.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildRouter } from '../../runtime/routing.ts'
import { route } from './routes.ts'

/** Makes a route from a line such as `GET /v2/{*name}/blobs/{digest}`, in which a star marks the catch-all. */
const bound = (line: string) => {
  const [method = '', template = ''] = line.split(' ')
  const [, catchAll] = /\{\*(\w+)\}/.exec(template) ?? []
  const path = template.replace('*', '').split(/[{}]/)
  const known = method === 'POST' || method === 'PUT' ? method : 'GET'
  return { route: route(known, path, { operationId: line, ...(catchAll !== undefined && { catchAll }) }) }
}

const router = (lines: readonly string[]) => buildRouter(lines.map(bound))

/**
 * Returns the result of a match: the operation and its decoded parameters, the allowed methods, or the kind of miss.
 */
function ask(of: ReturnType<typeof router>, method: string, path: string): unknown {
  const match = of.match(method, path)
  if (match.kind === 'malformed') return { malformed: match.names }
  if (match.kind === 'method') return match.allowed
  if (match.kind === 'none') return 'none'
  const names = match.bound.route.path.filter((_, index) => index % 2 === 1)
  return [match.bound.route.operationId, ...names.map(name => match.get(name))]
}

const oci = router([
  'GET /v2/',
  'GET /v2/_token',
  'GET /v2/{*name}/tags/list',
  'GET /v2/{*name}/blobs/{digest}',
  'POST /v2/{*name}/blobs/uploads/',
  'GET /v2/{*name}/blobs/uploads/{id}',
  'PUT /v2/{*repository}/blobs/uploads/{id}',
  'GET /v2/{*name}/manifests/{reference}',
])

const storage = router([
  'GET /data/v1/{bucket}/{*object}',
  'PUT /data/v1/{bucket}/{*object}',
  'GET /data/v1/{bucket}/{*object}:metadata',
  'GET /data/v1/{bucket}/list',
  'GET /data/v1/own/{*object}',
])

describe('a catch-all', () => {
  test.each([
    [oci, 'GET', '/v2/', ['GET /v2/']],
    [oci, 'GET', '/v2/_token', ['GET /v2/_token']],
    [oci, 'GET', '/v2', 'none'],
    [oci, 'GET', '/v2/a', 'none'],
    [oci, 'GET', '/v2/a/tags/list', ['GET /v2/{*name}/tags/list', 'a']],
    [oci, 'GET', '/v2/a/b/c/tags/list', ['GET /v2/{*name}/tags/list', 'a/b/c']],
    [oci, 'GET', '/v2/a/tags/list/', 'none'],
    [oci, 'GET', '/v2/tags/list', 'none'],
    [oci, 'GET', '/v2//tags/list', 'none'],
    [oci, 'GET', '/v2//a/tags/list', ['GET /v2/{*name}/tags/list', '/a']],
    [oci, 'GET', '/v2/a/blobs/sha256:0', ['GET /v2/{*name}/blobs/{digest}', 'a', 'sha256:0']],
    [oci, 'GET', '/v2/a/blobs/', 'none'],
    [oci, 'GET', '/v2/a/blobs/uploads', ['GET /v2/{*name}/blobs/{digest}', 'a', 'uploads']],
    [oci, 'GET', '/v2/a/blobs/uploads/7', ['GET /v2/{*name}/blobs/uploads/{id}', 'a', '7']],
    [oci, 'PUT', '/v2/a/blobs/uploads/7', ['PUT /v2/{*repository}/blobs/uploads/{id}', 'a', '7']],
    [oci, 'HEAD', '/v2/a/blobs/uploads/7', ['GET /v2/{*name}/blobs/uploads/{id}', 'a', '7']],
    [oci, 'PATCH', '/v2/a/blobs/uploads/7', ['GET', 'PUT']],
    [oci, 'GET', '/v2/a/blobs/uploads/', ['POST']],
    [oci, 'GET', '/v2/a/blobs/b/blobs/c', ['GET /v2/{*name}/blobs/{digest}', 'a/blobs/b', 'c']],
    [oci, 'GET', '/v2/a/manifests/b/tags/list', ['GET /v2/{*name}/tags/list', 'a/manifests/b']],
    [oci, 'GET', '/v2/a%2Fb/tags/list', ['GET /v2/{*name}/tags/list', 'a/b']],
    [oci, 'GET', '/v2/a/b%2Ftags/list', 'none'],
    [oci, 'GET', '/v2/a%252F/tags/list', ['GET /v2/{*name}/tags/list', 'a%2F']],
    [oci, 'GET', '/v2/a/%zz/blobs/%', { malformed: ['name', 'digest'] }],
    [oci, 'GET', '/v2/%C3/%A9/tags/list', { malformed: ['name'] }],
    [storage, 'GET', '/data/v1/b/o', ['GET /data/v1/{bucket}/{*object}', 'b', 'o']],
    [storage, 'PUT', '/data/v1/b/a/b//c/', ['PUT /data/v1/{bucket}/{*object}', 'b', 'a/b//c/']],
    [storage, 'GET', '/data/v1/b/a/../c', ['GET /data/v1/{bucket}/{*object}', 'b', 'a/../c']],
    [storage, 'GET', '/data/v1/b/', 'none'],
    [storage, 'GET', '/data/v1//a', 'none'],
    [storage, 'GET', '/data/v1/b/a/c:metadata', ['GET /data/v1/{bucket}/{*object}:metadata', 'b', 'a/c']],
    [storage, 'GET', '/data/v1/b/a%3Ametadata', ['GET /data/v1/{bucket}/{*object}', 'b', 'a:metadata']],
    [storage, 'GET', '/data/v1/b/:metadata', ['GET /data/v1/{bucket}/{*object}', 'b', ':metadata']],
    // A path without a catch-all takes precedence, even if the path does not have the method.
    [storage, 'GET', '/data/v1/b/list', ['GET /data/v1/{bucket}/list', 'b']],
    [storage, 'PUT', '/data/v1/b/list', ['GET']],
    [storage, 'GET', '/data/v1/own/a/b', ['GET /data/v1/own/{*object}', 'a/b']],
    [storage, 'PUT', '/data/v1/own/a/b', ['GET']],
  ])('%# %s %s %s', (of, method, path, expected) => {
    expect(ask(of, method, path)).toEqual(expected)
  })

  test('is unchanged in the raw parameters', () => {
    const match = oci.match('GET', '/v2/a%2Fb/c/blobs/d%3A')
    expect(match.kind === 'found' && match.raw).toEqual(['a%2Fb/c', 'd%3A'])
  })

  test.each([
    ['is not in its path', ['/v2/', 'name'], 'digest'],
    ['is text of its path', ['/v2/', 'name', '/x'], '/x'],
    ['touches another parameter', ['/v2/', 'name', '.', 'type'], 'name'],
    ['is beside a segment of two parameters', ['/v2/', 'name', '/', 'a', '-', 'b'], 'name'],
  ])('that %s is refused', (_, path, catchAll) => {
    expect(() => buildRouter([{ route: route('GET', path, { catchAll }) }])).toThrow(
      new RegExp(`^route .* must have the catch-all \\{${catchAll}\\}, and a slash between its parameters$`),
    )
  })

  test('does not share a path and method with another operation', () => {
    expect(() => router(['GET /v2/{*name}/x', 'PUT /v2/{*name}/x', 'GET /v2/{*path}/x'])).toThrow(/have the same route/)
  })
})

test.each([
  ['the text behind its catch-all over and over', `/v2/${'/blobs'.repeat(2700)}`],
  ['that text with parameters', `/v2/${'/blobs/a'.repeat(2000)}/`],
  ['nothing but slashes', `/v2/${'/'.repeat(16_000)}`],
  ['many short segments', `/v2/${'a/'.repeat(8000)}`],
  ['one long segment', `/v2/${'a'.repeat(16_000)}`],
])('a hostile path takes time linear in its length: %s', (_, path) => {
  const matched = (to: string): number => {
    const from = performance.now()
    for (let turn = 0; turn < 20; turn += 1) oci.match('GET', to)
    return performance.now() - from
  }
  matched(path)
  // A match in quadratic time would take seconds; a loaded machine may stall for some tenths of a second.
  expect(matched(path)).toBeLessThan(1000)
})

/** The literals of random routes: few and similar, so that routes hide each other and a path fits in several ways. */
const texts = ['a', 'b', 'ab', 'a:x', '']
const segment = fc.constantFrom(...texts, '{}', '{}:x', 'v{}')
const side = fc.array(segment, { maxLength: 3 })
const catchAll = fc.constantFrom('{*}', '{*}:x', '{*}/', 'v{*}')

const template = fc.tuple(side, fc.option(catchAll, { freq: 2, nil: undefined }), side).map(([before, star, after]) => {
  let count = 0
  const segments = [...before, ...(star === undefined ? [] : [star]), ...after]
  return `/${segments.join('/')}`.replaceAll('{}', () => `{p${(count += 1)}}`).replace('{*}', '{*all}')
})
const line = fc.tuple(fc.constantFrom('GET', 'PUT'), template).map(parts => parts.join(' '))
const shapeOf = (of: string): string => of.replaceAll(/\{p\d\}/g, '{}')
const table = fc.uniqueArray(line, { selector: shapeOf, minLength: 1, maxLength: 8 })
const wanderingPath = fc
  .array(fc.constantFrom(...texts, 'v', 'va', 'q:x', '%2F', '%'), { minLength: 1, maxLength: 7 })
  .map(segments => `/${segments.join('/')}`)

/**
 * Returns the values of a template's parameters in a path, each as long as possible, by trying every length; undefined
 * if the template does not fit the path.
 */
function capture(parts: readonly string[], path: string): readonly string[] | undefined {
  const [text = '', name, ...rest] = parts
  if (!path.startsWith(text)) return undefined
  if (name === undefined) return path === text ? [] : undefined
  const after = path.slice(text.length)
  const slash = after.indexOf('/')
  const most = name.startsWith('*') || slash === -1 ? after.length : slash
  for (let length = most; length > 0; length -= 1) {
    const values = capture(rest, after.slice(length))
    if (values !== undefined) return [after.slice(0, length), ...values]
  }
  return undefined
}

/** Compares two templates that fit a path; returns a negative number if `one` takes precedence. */
function compare(one: string, other: string): number {
  const [oneStar, otherStar] = [one.includes('*'), other.includes('*')]
  if (oneStar !== otherStar) return oneStar ? 1 : -1
  if (!oneStar) return bySegments(one, other)
  const halves = [one, other].map(template => template.split('{*all}'))
  const [[before = '', after = ''] = [], [otherBefore = '', otherAfter = ''] = []] = halves
  return byCharacters(before, otherBefore) || byCharacters(reversed(after), reversed(otherAfter))
}

/** Compares segment by segment: a literal before a parameter, then the longer segment. */
function bySegments(one: string, other: string): number {
  const others = other.split('/')
  const rank = (segment: string): number => (segment.includes('\0') ? segment.length : 1000)
  const differences = one.split('/').map((segment, index) => rank(others[index] ?? '') - rank(segment))
  return differences.find(difference => difference !== 0) ?? 0
}

/**
 * Compares the characters on one side of a catch-all. At the first difference, the text of a segment goes first, then
 * the end of a segment, then a parameter, then the catch-all.
 */
function byCharacters(one: string, other: string): number {
  const last = Math.max(one.length, other.length)
  const differences = Array.from({ length: last }, (_, index) => rankOf(one[index]) - rankOf(other[index]))
  return differences.find(difference => difference !== 0) ?? 0
}

const order = ['/', '\0', undefined]
const rankOf = (character: string | undefined): number => order.indexOf(character)
const plain = (template: string): string => template.replaceAll(/\{p\d\}/g, '\0')
const reversed = (text: string): string => [...text].toReversed().join('')

function slowly(lines: readonly string[], path: string): unknown {
  const fitting = lines
    .map(of => of.slice(4))
    .filter(of => capture(of.split(/[{}]/), path) !== undefined)
    .toSorted((one, other) => compare(plain(one), plain(other)))
  const [best] = fitting
  if (best === undefined) return 'none'
  const groups = new Set(fitting.filter(of => !of.includes('*')).map(shapeOf))
  const fitted = groups.size === 0 ? [shapeOf(best)] : [...groups]
  const sharing = (shape: string): readonly string[] => lines.filter(of => shapeOf(of.slice(4)) === shape)
  const served = (shape: string): string | undefined => sharing(shape).find(of => of.startsWith('GET '))
  const tried = attempts(
    fitted.map(shape => ({ template: shape })),
    ({ template: shape }) => served(shape) !== undefined,
  ).map(({ template: shape }) => shape)
  const found = served(tried.at(-1) ?? '')
  if (found === undefined) return [...new Set(tried.flatMap(shape => sharing(shape).map(of => of.slice(0, 3))))]
  const values = capture(found.slice(4).split(/[{}]/), path) ?? []
  const names = [...found.matchAll(/\{\*?(\w+)\}/g)].map(([, name]) => name)
  const malformed = names.filter((_, index) => values[index]?.replaceAll('%2F', '').includes('%'))
  return malformed.length > 0 ? { malformed } : [found, ...values.map(decodeURIComponent)]
}

test('any table with catch-alls decides like a search over every length of every parameter', () => {
  const kinds = new Set<string>()
  fc.assert(
    fc.property(table, fc.array(wanderingPath, { maxLength: 10 }), (lines, paths) => {
      const made = router(lines)
      for (const path of paths) {
        const expected = slowly(lines, path)
        if (Array.isArray(expected)) kinds.add(String(expected[0]).includes('*') ? 'caught' : 'plain')
        expect(ask(made, 'GET', path)).toEqual(expected)
      }
    }),
    { numRuns: 3000 },
  )
  expect([...kinds].toSorted()).toEqual(['caught', 'plain'])
})
