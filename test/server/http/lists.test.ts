import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pathTemplate } from '../../../runtime/routing.ts'
import { absentId } from '../../areas/members.ts'
import { baseUrl } from '../../areas/open-platform.ts'
import { testPlatform, type TestPlatform } from '../../areas/test-platform.ts'
import { allRoutes } from '../iam/all-routes.ts'

const areas = ['compute', 'iam', 'network', 'taxonomy', 'topology']
const routes = allRoutes().filter(({ domain, list }) => list !== undefined && areas.includes(domain.name))

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

interface Answer {
  readonly status: number
  readonly body: {
    readonly filter_schemas?: readonly { readonly resource: string }[]
    readonly next_page_token?: string
    readonly details?: readonly {
      readonly reason?: string
      readonly fieldViolations?: readonly { readonly field: string; readonly description: string }[]
      readonly field_violations?: readonly { readonly field: string; readonly description: string }[]
    }[]
  }
}

async function get(path: string, query: string): Promise<Answer> {
  const answer = await platform.from('192.0.2.7')(`${baseUrl}${path}?${query}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  return { status: answer.status, body: await answer.json() }
}

/** Returns the path of a route with values for its parameters. */
const pathOf = (path: string): string =>
  path
    .replace('{engine}', 'native')
    .replace('{scope_type}', 'WORKSPACE')
    .replace(/\{[^}]+\}/g, absentId)

function faultsOf({ body: { details = [] } }: Answer) {
  const [{ reason = '' } = {}] = details
  const violations = details.flatMap(detail => detail.fieldViolations ?? detail.field_violations ?? [])
  return { reason, violations }
}

describe.each(
  routes.map(({ domain, operationId, path }) => [`${domain.name}.${operationId}`, pathOf(pathTemplate(path))] as const),
)('%s', (_, path) => {
  it('reports the faults of its list parameters together', async () => {
    const { reason, violations } = faultsOf(await get(path, 'filter=zzz%3D1&order_by=zzz&page_token=zzz'))
    expect(reason).toBe('FILTER_INVALID')
    expect(violations.map(({ field }) => field)).toEqual(['filter', 'order_by', 'page_token'])
  })

  it('reports them in addition to the faults of its other parameters', async () => {
    const { reason, violations } = faultsOf(await get(path, 'zzz=1&page_size=x&filter=(&page_token=zzz'))
    expect(reason).toBe('FIELD_INVALID')
    expect(violations.map(({ field }) => field)).toEqual(
      expect.arrayContaining(['zzz', 'page_size', 'filter', 'page_token']),
    )
  })

  it('says that a filter is not UTF-8', async () => {
    const { violations } = faultsOf(await get(path, 'filter=%ff'))
    expect(violations).toEqual([{ field: 'filter', description: expect.stringContaining('invalid UTF-8') }])
  })

  it('names a no-break space in a filter and in an order', async () => {
    const { violations } = faultsOf(await get(path, 'filter=id%C2%A0%3D%C2%A0a&order_by=id%C2%A0desc'))
    expect(violations.map(({ field }) => field)).toEqual(['filter', 'order_by'])
    for (const { description } of violations) expect(description).toContain('no-break space U+00A0')
  })
})

describe.each(areas)('the filter schemas of %s', area => {
  const path = `/${area}/v1/filterSchemas`

  it.each([1, 2, 4, 100])('are each on one page of %i', async size => {
    const found: string[] = []
    let next = ''
    do {
      const { body } = await get(path, `page_size=${size}&page_token=${next}`)
      found.push(...(body.filter_schemas ?? []).map(({ resource }) => resource))
      next = body.next_page_token ?? ''
    } while (next !== '')
    const declared = routes.flatMap(({ domain, list }) =>
      domain.name === area && list?.fields.resource !== undefined ? [list.fields.resource] : [],
    )
    const conditions = area === 'iam' ? ['conditions'] : []
    expect(found).toEqual([...new Set([...declared, ...conditions])].toSorted())
  })
})
