import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Method } from '../../runtime/route.ts'
import { buildRouter } from '../../runtime/routing.ts'
import { namesOf, partsOf } from './many-routes.ts'
import { attempts } from './precedence.ts'
import { route } from './routes.ts'

interface Line {
  readonly method: Method
  readonly template: string
}

const nameOf = ({ method, template }: Line): string => `${method} ${template}`

/**
 * The literals of random routes: few and similar, so that routes share beginnings, hide each other and lead into dead
 * ends.
 */
const literals = ['a', 'ab', 'abc', 'b', 'abcdefghijklmnop', 'abcdefghijklmnoq', 'a:x', 'v', '']

/**
 * The patterns of segments in random routes, of different lengths, because the length decides which pattern is tried
 * first.
 */
const patterns = ['{}', 'v{}', '{}:x', 'v{}:y', '{}-{}:x', '{}:start']

const values = [
  'x',
  'v',
  'vq',
  'q:x',
  'q:start',
  'vq:y',
  'v:y',
  'p-q:x',
  'p--:x',
  '-:x',
  ':x',
  '%3Ax',
  '%',
  '%C3',
  '..',
]

const segment = fc.oneof(fc.constantFrom(...literals), fc.constantFrom(...patterns))

const template = fc.array(segment, { minLength: 1, maxLength: 4 }).map(segments => {
  let count = 0
  return `/${segments.join('/')}`.replaceAll('{}', () => `{p${(count += 1)}}`)
})

const line = fc.record({ method: fc.constantFrom<Method[]>('GET', 'POST', 'PUT'), template })

const table = fc.uniqueArray(line, { selector: nameOf, maxLength: 16 })

const path = fc
  .array(fc.constantFrom(...literals, ...values), { minLength: 1, maxLength: 4 })
  .map(segments => `/${segments.join('/')}`)

/**
 * Returns the expected result of a match by regular expressions of all templates, in which each parameter but the last
 * takes as much text as possible.
 */
function slowly(lines: readonly Line[], method: string, path: string): unknown {
  const fitting = lines.filter(({ template }) => expressionOf(template).test(path))
  const groups = [...Map.groupBy(fitting, ({ template }) => template)].map(([template, lines]) => ({ template, lines }))
  const endOf = ({ lines }: { readonly lines: readonly Line[] }): Line | undefined =>
    lines.find(line => line.method === method) ?? lines.find(line => method === 'HEAD' && line.method === 'GET')
  const tried = attempts(groups, group => endOf(group) !== undefined)
  const last = tried.at(-1)
  if (last === undefined) return 'none'
  const end = endOf(last)
  if (end === undefined) return { allowed: [...new Set(tried.flatMap(({ lines }) => lines.map(line => line.method)))] }
  const raw = expressionOf(end.template).exec(path)?.slice(1) ?? []
  const names = namesOf(end.template)
  const malformed = names.filter((_, index) => decoded(raw[index] ?? '') === undefined)
  if (malformed.length > 0) return { found: nameOf(end), malformed }
  return {
    found: nameOf(end),
    path: Object.fromEntries(names.map((name, index) => [name, decoded(raw[index] ?? '')])),
    raw,
  }
}

const expressionOf = (template: string): RegExp => new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, '([^/]+)')}$`)

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function quickly(lines: readonly Line[], method: string, path: string): unknown {
  const bound = lines.map(line => ({
    route: route(line.method, partsOf(line.template), { operationId: nameOf(line) }),
  }))
  const match = buildRouter(bound).match(method, path)
  if (match.kind === 'none') return 'none'
  if (match.kind === 'method') return { allowed: match.allowed }
  const found = match.bound.route.operationId
  if (match.kind === 'malformed') return { found, malformed: match.names }
  const names = match.bound.route.path.filter((_, index) => index % 2 === 1)
  return { found, path: Object.fromEntries(names.map(name => [name, match.get(name)])), raw: match.raw }
}

test('any table decides like a search over every one of its templates', () => {
  const kinds = new Set<string>()
  fc.assert(
    fc.property(
      table,
      fc.constantFrom('GET', 'HEAD', 'POST', 'OPTIONS'),
      fc.array(path, { maxLength: 12 }),
      (lines, method, paths) => {
        for (const path of paths) {
          const expected = slowly(lines, method, path)
          kinds.add(typeof expected === 'string' ? expected : Object.keys(expected ?? {}).join())
          expect(quickly(lines, method, path)).toEqual(expected)
        }
      },
    ),
    { numRuns: 1500 },
  )
  expect([...kinds].sort()).toEqual(['allowed', 'found,malformed', 'found,path,raw', 'none'])
})

test('a match does not change when the router matches other paths', () => {
  fc.assert(
    fc.property(table, fc.array(path, { minLength: 2, maxLength: 6 }), (lines, paths) => {
      const bound = lines.map(({ method, template }) => ({ route: route(method, partsOf(template)) }))
      const router = buildRouter(bound)
      const matches = paths.map(path => router.match('GET', path))
      expect(matches).toEqual(paths.map(path => buildRouter(bound).match('GET', path)))
    }),
  )
})
