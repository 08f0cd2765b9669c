import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildRouter } from '../../runtime/routing.ts'
import { fill, foreignOperations, namesOf, partsOf, platformOperations, type Operation } from './many-routes.ts'
import { attempts } from './precedence.ts'
import { route } from './routes.ts'

const operations: readonly Operation[] = [...platformOperations, ...foreignOperations]
const nameOf = ({ method, template }: Operation): string => `${method} ${template}`

const router = buildRouter(
  operations.map(operation => ({
    route: route(operation.method, partsOf(operation.template), { operationId: nameOf(operation) }),
  })),
)

/**
 * Returns the result of a match: the operation and the values of its parameters, the allowed methods, or the kind of
 * miss.
 */
function ask(method: string, path: string): unknown {
  const match = router.match(method, path)
  if (match.kind === 'found') {
    const { bound, raw } = match
    const names = bound.route.path.filter((_, index) => index % 2 === 1)
    const path = Object.fromEntries(names.map(name => [name, match.get(name)]))
    return { found: bound.route.operationId, path, raw }
  }
  return match.kind === 'method' ? { allowed: match.allowed } : match.kind
}

function reached(operation: Operation, values: readonly string[], raw = values.map(encodeURIComponent)): unknown {
  return {
    found: nameOf(operation),
    path: Object.fromEntries(namesOf(operation.template).map((name, index) => [name, values[index]])),
    raw,
  }
}

/** The operations on one path, keyed by the template of the path without the names of its parameters. */
const templates = Map.groupBy(operations, ({ template }) => template.replaceAll(/\{[^}]+\}/g, '{}'))

test('the table has 357 operations of the platform and 400 others', () => {
  expect([platformOperations.length, foreignOperations.length]).toEqual([357, 400])
  expect(new Set(operations.map(nameOf)).size).toBe(757)
})

describe('every operation', () => {
  const valuesOf = ({ template }: Operation, value: string) => namesOf(template).map((_, index) => `${value}${index}`)

  test.each([
    ['plain ids', '0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b'],
    ['ids with an encoded slash, colon, percent sign and non-ASCII letters', 'a/b:start:..é%25'],
    ['ids that look like a verb', 'x:restart'],
    ['ids that end with dots', '..'],
  ])('is reached with its parameters: %s', (_, value) => {
    for (const operation of operations) {
      const values = valuesOf(operation, value)
      expect(ask(operation.method, fill(operation.template, values))).toEqual(reached(operation, values))
    }
  })

  test('is not reached by a path that is longer, shorter, or in capitals', () => {
    for (const { method, template } of operations) {
      const path = fill(template, [])
      for (const other of [`${path}/`, `/${path}`, path.slice(1), path.toUpperCase(), `${path}//x`]) {
        expect(ask(method, other)).not.toMatchObject({ found: nameOf({ method, template }) })
      }
    }
  })

  test('shares its path with the methods that are allowed there, and HEAD leads to GET', () => {
    for (const { template } of operations) {
      const path = fill(template, [])
      for (const method of ['OPTIONS', 'PURGE', 'get']) expect(ask(method, path)).toEqual(slowly(method, path))
      const head = slowly('GET', path)
      expect(ask('HEAD', path)).toEqual(head)
    }
  })
})

/** Returns the expected result of a match in a simple and slow way: tries every template that the path fits. */
function slowly(method: string, path: string): unknown {
  const fitting = [...templates].flatMap(([template, sharing]) => {
    const captured = expressionOf(template).exec(path)?.slice(1)
    return captured ? [{ template, sharing, captured }] : []
  })
  const served = ({ sharing }: { readonly sharing: readonly Operation[] }): Operation | undefined =>
    sharing.find(operation => operation.method === method)
  const tried = attempts(fitting, group => served(group) !== undefined)
  const last = tried.at(-1)
  if (last === undefined) return 'none'
  const found = served(last)
  return found
    ? reached(found, last.captured.map(decodeURIComponent), last.captured)
    : { allowed: [...new Set(tried.flatMap(({ sharing }) => sharing.map(operation => operation.method)))] }
}

const expressions = new Map<string, RegExp>()

function expressionOf(template: string): RegExp {
  const known =
    expressions.get(template) ??
    new RegExp(`^${template.replaceAll(/[.:]/g, String.raw`\$&`).replaceAll('{}', '([^/]+)')}$`)
  expressions.set(template, known)
  return known
}

test('the router decides like a search over every template, for any segments', () => {
  const segments = new Set(operations.flatMap(({ template }) => template.split('/').slice(1)))
  const literals = [...segments].filter(segment => !segment.includes('{'))
  const segment = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...literals) },
    fc.constantFrom('x', 'x:start', 'x:restart:start', ':start', 'v', 'v7', 'x%3Astart', '.', '', 'latest', 'native'),
  )
  const method = fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE')
  const wandering = fc.array(segment, { maxLength: 10 }).map(parts => `/${parts.join('/')}`)
  const nearby = fc
    .tuple(fc.constantFrom(...operations), fc.array(segment, { minLength: 6, maxLength: 6 }))
    .map(([{ template }, parts]) => {
      let at = 0
      return template.replaceAll(/\{[^}]+\}/g, () => parts[(at += 1)] ?? 'x')
    })
  fc.assert(
    fc.property(method, fc.oneof(wandering, nearby), (by, path) => {
      expect(ask(by, path)).toEqual(slowly(by, path))
    }),
    { numRuns: 2000 },
  )
})

test('a path built from any values leads back to its operation and the values', () => {
  // Pieces of text that stay distinct from literal segments and verbs when they are encoded.
  const special = fc.constantFrom(
    ':',
    '%',
    '/',
    '.',
    '..',
    '%2F',
    '%3A',
    ':start',
    'é',
    '漢',
    '👍',
    '\0',
    ' ',
    '?',
    '#',
    '+',
  )
  const id = fc
    .array(fc.oneof(special, fc.string({ unit: 'binary' })), { minLength: 1, maxLength: 6 })
    .map(pieces => pieces.join('').toWellFormed())
    // A text that begins with the literal of `/v{version}` would belong to another path.
    .filter(text => text !== '' && !/^(?:v|[a-z-]+$)/.test(text))
  fc.assert(
    fc.property(fc.constantFrom(...operations), fc.array(id, { minLength: 6, maxLength: 6 }), (operation, ids) => {
      const values = ids.slice(0, namesOf(operation.template).length)
      expect(ask(operation.method, fill(operation.template, values))).toEqual(reached(operation, values))
    }),
    { numRuns: 2000 },
  )
})
