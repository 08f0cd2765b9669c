import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Method } from '../../runtime/route.ts'
import { buildRouter, pathTemplate } from '../../runtime/routing.ts'
import { route } from './routes.ts'

const methods: Record<string, Method> = {
  GET: 'GET',
  HEAD: 'HEAD',
  POST: 'POST',
  PUT: 'PUT',
  PATCH: 'PATCH',
  DELETE: 'DELETE',
}

const bound = (line: string) => {
  const [method = '', path = ''] = line.split(' ')
  return { route: route(methods[method] ?? 'GET', path.split(/[{}]/), { operationId: line }) }
}

const router = (...lines: string[]) => buildRouter(lines.map(bound))

/** Returns the result of a match: the operation and its parameters, the allowed methods, or the kind of miss. */
function ask(of: ReturnType<typeof router>, method: string, path: string): unknown {
  const match = of.match(method, path)
  if (match.kind === 'found') return [match.bound.route.operationId, valuesOf(match)]
  if (match.kind === 'method') return match.allowed
  return match.kind === 'malformed' ? { malformed: match.names } : match.kind
}

/** Returns the path parameters of a match, keyed by name. */
function valuesOf(match: Extract<ReturnType<ReturnType<typeof router>['match']>, { kind: 'found' }>): object {
  const names = match.bound.route.path.filter((_, index) => index % 2 === 1)
  return Object.fromEntries(names.map(name => [name, match.get(name)]))
}

test('an object whose name ends like a verb differs from the verb by its encoding', () => {
  const [plain, verb] = ['GET /buckets/{bucket}/objects/{object}', 'GET /buckets/{bucket}/objects/{object}:metadata']
  const storage = router(plain, verb)
  expect(ask(storage, 'GET', '/buckets/b/objects/a:metadata')).toEqual([verb, { bucket: 'b', object: 'a' }])
  expect(ask(storage, 'GET', '/buckets/b/objects/a%3Ametadata')).toEqual([plain, { bucket: 'b', object: 'a:metadata' }])
})

const users = router('GET /users/{id}', 'GET /users/me', 'DELETE /users/me')
const members = router(
  'GET /members/me',
  'DELETE /members/{id}',
  'HEAD /members/{id}',
  'PUT /{kind}/{id}',
  'GET /members/me/keys',
  'PUT /members/{id}/keys',
  'POST /members/{id}:stop',
)
const jobs = router('POST /jobs:purge', 'GET /jobs/{id}', 'POST /jobs/{id}:cancel', 'POST /jobs/{id}:uncancel')
const files = router(
  'GET /files/{file-name}/parts/{part.no}',
  'GET /named/{name}.{ext}',
  'GET /v{major}.{minor}-x/end',
  'GET /',
)
const engines = router(
  'GET /e/native/vms/{id}',
  'GET /e/{engine}/vms/{id}/logs',
  'GET /e/{engine}/{kind}',
  'GET /e/native/vms/{id}/disks',
)

test.each([
  [users, 'GET', '/users/me', ['GET /users/me', {}]],
  [users, 'GET', '/users/abc', ['GET /users/{id}', { id: 'abc' }]],
  [users, 'GET', '/users/mee', ['GET /users/{id}', { id: 'mee' }]],
  [users, 'GET', '/users/%6De', ['GET /users/{id}', { id: 'me' }]],
  [users, 'GET', '/users/', 'none'],
  [users, 'GET', '/users/a/b', 'none'],
  [users, 'GET', '', 'none'],
  [users, 'GET', '*', 'none'],
  [users, 'DELETE', '/users/abc', ['GET']],
  [users, 'PUT', '/users/me', ['GET', 'DELETE']],
  [members, 'GET', '/members/me', ['GET /members/me', {}]],
  [members, 'HEAD', '/members/me', ['GET /members/me', {}]],
  [members, 'DELETE', '/members/me', ['DELETE /members/{id}', { id: 'me' }]],
  [members, 'PUT', '/members/me', ['PUT /{kind}/{id}', { kind: 'members', id: 'me' }]],
  [members, 'PATCH', '/members/me', ['GET', 'DELETE', 'HEAD', 'PUT']],
  [members, 'OPTIONS', '/members/me', ['GET', 'DELETE', 'HEAD', 'PUT']],
  [members, 'PUT', '/members/me/keys', ['PUT /members/{id}/keys', { id: 'me' }]],
  [members, 'GET', '/members/me/keys', ['GET /members/me/keys', {}]],
  [members, 'DELETE', '/members/me/keys', ['GET', 'PUT']],
  [members, 'GET', '/members/7:stop', ['POST', 'PUT']],
  [members, 'PUT', '/members/7:stop', ['PUT /{kind}/{id}', { kind: 'members', id: '7:stop' }]],
  [users, 'constructor', '/users/me', ['GET', 'DELETE']],
  [users, 'HEAD', '/users/me', ['GET /users/me', {}]],
  [jobs, 'POST', '/jobs:purge', ['POST /jobs:purge', {}]],
  [jobs, 'POST', '/jobs/7:cancel', ['POST /jobs/{id}:cancel', { id: '7' }]],
  [jobs, 'POST', '/jobs/7:cancel:cancel', ['POST /jobs/{id}:cancel', { id: '7:cancel' }]],
  [jobs, 'POST', '/jobs/7:uncancel', ['POST /jobs/{id}:uncancel', { id: '7' }]],
  [jobs, 'GET', '/jobs/7:other', ['GET /jobs/{id}', { id: '7:other' }]],
  [jobs, 'GET', '/jobs/:cancel', ['GET /jobs/{id}', { id: ':cancel' }]],
  [jobs, 'GET', '/jobs/7%3Acancel', ['GET /jobs/{id}', { id: '7:cancel' }]],
  [jobs, 'GET', '/jobs/7:cancel', ['POST']],
  [
    files,
    'GET',
    '/files/a%2Fb%20c%3F%23%25.txt/parts/2',
    ['GET /files/{file-name}/parts/{part.no}', { 'file-name': 'a/b c?#%.txt', 'part.no': '2' }],
  ],
  [files, 'GET', '/files//parts/1', 'none'],
  [
    files,
    'GET',
    '/files/../parts/1',
    ['GET /files/{file-name}/parts/{part.no}', { 'file-name': '..', 'part.no': '1' }],
  ],
  [
    files,
    'GET',
    '/files/%2525/parts/1',
    ['GET /files/{file-name}/parts/{part.no}', { 'file-name': '%25', 'part.no': '1' }],
  ],
  [files, 'GET', '/files/%zz/parts/%', { malformed: ['file-name', 'part.no'] }],
  [files, 'GET', '/files/%C3/parts/1', { malformed: ['file-name'] }],
  [files, 'GET', '/named/a.tar.gz', ['GET /named/{name}.{ext}', { name: 'a.tar', ext: 'gz' }]],
  [files, 'GET', '/named/a.b.', ['GET /named/{name}.{ext}', { name: 'a', ext: 'b.' }]],
  [files, 'GET', '/named/.gz', 'none'],
  [files, 'GET', '/named/a.', 'none'],
  [files, 'GET', '/named/a%2Egz', 'none'],
  [files, 'GET', '/v1.20-x/end', ['GET /v{major}.{minor}-x/end', { major: '1', minor: '20' }]],
  [files, 'GET', '/v1.-x/end', 'none'],
  [files, 'GET', '/v.1-x/end', 'none'],
  [files, 'GET', '/', ['GET /', {}]],
  [engines, 'GET', '/e/native/vms/1', ['GET /e/native/vms/{id}', { id: '1' }]],
  [engines, 'GET', '/e/native/vms/1/logs', ['GET /e/{engine}/vms/{id}/logs', { engine: 'native', id: '1' }]],
  [engines, 'GET', '/e/native/vms', ['GET /e/{engine}/{kind}', { engine: 'native', kind: 'vms' }]],
  [engines, 'GET', '/e/native/vms/1/disks', ['GET /e/native/vms/{id}/disks', { id: '1' }]],
  [engines, 'GET', '/e/native/vms/1/none', 'none'],
])('%# %s %s %s', (of, method, path, expected) => {
  expect(ask(of, method, path)).toEqual(expected)
})

test.each([
  ['/straße/{id}', ['/stra%C3%9Fe/1', '/stra%c3%9fe/1', '/straße/1']],
  ['/q"x/{id}', ['/q"x/1', '/q%22x/1']],
  ['/a b/{id}', ['/a%20b/1', '/a b/1']],
  ['/a%20c/{id}', ['/a%20c/1', '/a c/1']],
  ['/a%2fc/{id}', ['/a%2Fc/1', '/a%2fc/1']],
  ['/`<^|>\\/{id}', ['/`<^|>\\/1', '/%60%3C%5E%7C%3E%5C/1', '/%60<^|%3e%5c/1']],
  ['/[x]/{id}', ['/[x]/1', '/%5Bx%5D/1', '/%5bx]/1']],
])('the literal text of %s is compared in its encoded form', (template, paths) => {
  const quoted = buildRouter([{ route: route('GET', template.split(/[{}]/), { operationId: template }) }])
  for (const path of paths) expect(ask(quoted, 'GET', path)).toEqual([template, { id: '1' }])
})

test('two literal texts that are the same in encoded form are one path', () => {
  const twice = ['/a b', '/a%20b'].map(path => ({ route: route('GET', [path]) }))
  expect(() => buildRouter(twice)).toThrow(/have the same route/)
})

test('a parameter may have the name __proto__', () => {
  const found = router('GET /a/{__proto__}').match('GET', '/a/x')
  expect(found.kind === 'found' && found.get('__proto__')).toBe('x')
  expect(found.kind === 'found' && found.get('constructor')).toBeUndefined()
})

test('two operations with one method and one shape of path are refused, whatever the names of their parameters', () => {
  expect(() => router('GET /a/{id}', 'POST /a/{id}', 'GET /a/{name}')).toThrow(
    /"GET \/a\/\{id\}" and "GET \/a\/\{name\}"/,
  )
})

test('any value is decoded from the path into which it was encoded', () => {
  const text = fc.string({ unit: 'binary', minLength: 1 }).filter(value => value.isWellFormed())
  fc.assert(
    fc.property(text, text, (id, other) => {
      const path = `/files/${encodeURIComponent(id)}/parts/${encodeURIComponent(other)}`
      expect(ask(files, 'GET', path)).toEqual([expect.any(String), { 'file-name': id, 'part.no': other }])
    }),
  )
})

test('no path makes the router fail or hang', () => {
  const part = fc.constantFrom('/', 'e', 'native', 'vms', '1', 'logs', '%', '%2F', ':', '.', '', 'x'.repeat(1000))
  fc.assert(
    fc.property(fc.array(part, { maxLength: 5000 }), parts => {
      expect(['found', 'malformed', 'method', 'none']).toContain(engines.match('GET', parts.join('')).kind)
    }),
  )
})

test('a template names the parameters', () => {
  expect(pathTemplate(['/jobs/', 'id', ':cancel'])).toBe('/jobs/{id}:cancel')
})
