import { expect, test } from 'vitest'
import { bind } from '../../../runtime/bind.ts'
import { isBelow, requireApart, type AreaPlane } from '../../../server/planes/data-plane.ts'
import { depotDomain, depotRoute } from './depot.ts'

const bound = (operationId: string, ...path: readonly string[]) =>
  bind(depotRoute('GET', operationId, path), async () => ({ status: 204 }))

const plane = (prefix: string, ...paths: readonly string[]): AreaPlane => ({
  prefix,
  domain: depotDomain,
  routes: paths.map(path => bound(`get${path}`, path)),
})

const renamed = (prefix: string, ...operationIds: readonly string[]): AreaPlane => ({
  prefix,
  domain: depotDomain,
  routes: operationIds.map(operationId => bound(operationId, `${prefix}/x`)),
})

const others = [
  bound('readyz', '/readyz'),
  bound('getCrate', '/sample/v1/crates/', 'id'),
  bound('sealCrate', '/sample/v1/crates/', 'id', ':seal'),
  bound('getLid', '/sample/v1/crates/', 'crate', '/lids/', 'id'),
]
const shared = plane('/v2', '/v2/a')

test.each([
  ['no slash', [plane('v2')], 'must have a prefix like "/v2"'],
  ['a slash at its end', [plane('/v2/')], 'must have a prefix like "/v2"'],
  ['nothing in its prefix', [plane('/')], 'must have a prefix like "/v2"'],
  ['encoded text in its prefix', [plane('/v%32')], 'must have a prefix like "/v2"'],
  ['a route beside its prefix', [plane('/v2', '/v2/', '/v20/x')], 'has the route get/v20/x, which is not below'],
  ['the prefix of an area', [plane('/sample')], 'hides the route getCrate of depot'],
  ['the prefix of a collection', [plane('/sample/v1/crates')], 'hides the route getCrate of depot'],
  ['a text for a parameter', [plane('/sample/v1/crates/blobs')], 'hides the route getCrate of depot'],
  ['a text for a later parameter', [plane('/sample/v1/crates/a/lids/b')], 'hides the route getLid of depot'],
  ['a path between two parameters', [plane('/sample/v1/crates/a/lids')], 'hides the route getLid of depot'],
  [
    'an operation id of its area',
    [plane('/v2', '/v2/a'), plane('/v3', '/v3/a'), renamed('/v4', 'getCrate')],
    'has the route getCrate, as the area has already',
  ],
  ['an operation id twice', [renamed('/v4', 'a', 'a')], 'has the route a, as the area has already'],
  ['itself twice', [shared, shared], 'overlaps another plane'],
  ['the path of a route', [plane('/readyz')], 'hides the route readyz of depot'],
  ['the prefix of another', [plane('/v2', '/v2/a'), plane('/v2', '/v2/b')], 'overlaps another plane'],
  ['the beginning of another prefix', [plane('/v2'), plane('/v2/a')], 'overlaps another plane'],
])('a plane with %s is refused', (_, planes, message) => {
  expect(() => requireApart(planes, others)).toThrow(message)
})

test('a fault of a plane names the area, the member and the remedy', () => {
  expect(() => requireApart([plane('/readyz')], others)).toThrow(
    'the area depot: planes: the data plane "/readyz" hides the route readyz of depot; choose a prefix below which no route has a path',
  )
})

test('planes with disjoint paths and the areas are accepted', () => {
  requireApart([plane('/v2', '/v2', '/v2/a'), plane('/v20', '/v20/a'), plane('/sample-data/v1')], others)
  requireApart([plane('/sample/v1/crates/a/handles'), plane('/sample/v1/blobs')], others)
})

test.each([
  ['/v2', true],
  ['/v2/', true],
  ['/v2/a', true],
  ['/v2?x', true],
  ['/v20', false],
  ['/v', false],
  ['/V2/', false],
  ['//v2/', false],
  ['/%762/', false],
  ['', false],
])('%s is below /v2: %s', (target, expected) => {
  expect(isBelow(target, '/v2')).toBe(expected)
})
