import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pathTemplate } from '../../../runtime/routing.ts'
import { absentId } from '../../areas/members.ts'
import { baseUrl } from '../../areas/open-platform.ts'
import { testPlatform, type TestPlatform } from '../../areas/test-platform.ts'
import { allRoutes } from '../iam/all-routes.ts'

/** The members of bodies that people write for people. */
const names = ['display_name', 'description', 'comment', 'reason'] as const
const areas = ['compute', 'iam', 'network', 'taxonomy', 'topology']
const routes = allRoutes().filter(({ access, body, domain }) => {
  return body !== undefined && access?.kind === 'permission' && areas.includes(domain.name)
})

let undo: (() => void | Promise<void>)[] = []
let platform: TestPlatform
let token = ''

beforeAll(async () => {
  platform = await testPlatform({ later: each => void undo.push(each) })
  ;({ token } = await platform.admin())
}, 60_000)

afterAll(async () => {
  for (const each of undo.toReversed()) await each()
  undo = []
})

const pathOf = (path: string): string =>
  path
    .replace('{engine}', 'native')
    .replace('{scope_type}', 'WORKSPACE')
    .replace(/\{[^}]+\}/g, absentId)

/** Returns the descriptions of the faults that a call reports, keyed by field. */
async function faultsOf(method: string, path: string, body: object): Promise<ReadonlyMap<string, string>> {
  const answer = await platform.from('192.0.2.7')(`${baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const { details = [] } = await answer.json()
  const violations = details.flatMap((detail: { readonly field_violations?: readonly object[] }) => [
    ...(detail.field_violations ?? []),
  ])
  return new Map(violations.map((fault: { field: string; description: string }) => [fault.field, fault.description]))
}

/** Returns a body with a text in every member. The scope is needed before other members are checked. */
const bodyOf = (text: string): object => ({
  ...Object.fromEntries(names.map(name => [name, text])),
  scope_type: 'PLATFORM',
  scope_id: '',
})

describe.each([
  ['a control character', 'a\u0007b'],
  ['a line end', 'a\nb'],
  ['a bidirectional override', 'invoice\u202efdp.exe'],
  ['a bidirectional isolate', 'a\u2066b'],
])('%s in a text for people', (_, text) => {
  it.each(routes.map(route => [route.operationId, route] as const))('is refused by %s', async (_operation, route) => {
    const { fields = {}, method } = route
    const path = pathOf(pathTemplate(route.path))
    const faults = await faultsOf(method, path, bodyOf(text))
    const ordinary = await faultsOf(method, path, bodyOf('Straße 😀'))
    // A member that the server sets is ignored in a body.
    for (const name of names.filter(each => fields[each]?.behavior !== 'output')) {
      // A member that a body does not have is a fault with any text.
      expect(faults.get(name)).toMatch(ordinary.has(name) ? /./ : /must match/)
    }
  })
})
