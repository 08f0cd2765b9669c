import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { bundleSize, clientPrograms } from './bundle-size.ts'

test.each([
  ['one operation', 3210],
  ['a get', 3280],
  ['a list', 3280],
  ['a create', 3200],
  ['every operation', 5370],
  ['a get with its check', 3430],
  ['a list with its check', 3630],
  ['a create with its check', 4590],
  ['a plain get with its check', 2900],
  ['a plain list with its check', 3090],
  ['a plain create with its check', 4050],
] as const)('a program with %s has less than %i bytes', async (program, limit) => {
  expect((await bundleSize(clientPrograms[program])).gzipped).toBeLessThan(limit)
})

test('each further operation adds only its route', async () => {
  const one = await bundleSize(clientPrograms['one operation'])
  const two = await bundleSize(clientPrograms['two operations'])
  expect(two.gzipped - one.gzipped).toBeLessThan(100)
})

/** The modules that a client can reach: routes lead to nearly all of the runtime, but to no host. */
const modules = readdirSync(new URL('../../runtime', import.meta.url), { recursive: true, encoding: 'utf8' })
  .map(path => path.replaceAll('\\', '/'))
  .filter(path => path.endsWith('.ts') && !path.startsWith('hosts/'))
  .map(path => `runtime/${path}`)

test.each([
  ...modules,
  'output/taxonomy/routes.ts',
  'test/golden/media-types/output/routes.ts',
  'output/taxonomy/client.ts',
])('an unused import of %s adds nothing', async path => {
  expect(await bundleSize(`import '../../${path}'`)).toEqual({ minified: 0, gzipped: 0 })
})
