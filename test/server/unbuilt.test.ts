import type { AreaEnvironment } from '../../server/area-parts.ts'
import { taxonomyFunctions } from '../../domain/taxonomy/functions.ts'
import { describe, expect, it } from 'vitest'
import { bind, bindList } from '../../runtime/bind.ts'
import type { CallContext, ListContext } from '../../runtime/context.ts'
import { listParameters, type ListParameters, type Page } from '../../runtime/pagination.ts'
import type { BoundRoute, Route } from '../../runtime/route.ts'
import { isRecord } from '../../runtime/validation.ts'
import { areaInProgress, type BuiltResources } from '../../server/area-in-progress.ts'
import { testServer } from './http/harness.ts'
import { handwritten, operationFields, sample, type SampleArea } from './sample-area.ts'
import { testFolder } from './store/harness.ts'
import { testToken } from './access/test-access.ts'

interface Crate {
  readonly id: string
}

/** The handlers in the form of generated handlers: an interface for each resource. */
interface Handlers {
  readonly crates: {
    listCrates(request: ListParameters, context: ListContext): Promise<Page<Crate>>
    getCrate(request: Crate, context: CallContext): Promise<Crate>
  }
  readonly lids: { getLid(request: Crate, context: CallContext): Promise<Crate> }
}

const common = {
  method: 'GET',
  success: [{ status: 200, type: 'application/json', kind: 'json' }],
  domain: sample,
  access: { kind: 'authenticated' },
} as const

const isOne = (request: unknown): request is Crate => isRecord(request) && typeof request['id'] === 'string'
const one = { ...common, parameters: [{ name: 'id', in: 'path', type: 'string' }], check: isOne } as const

const listCrates: Route<ListParameters, { readonly crates: readonly Crate[] }> = {
  ...common,
  operationId: 'listCrates',
  path: ['/sample/v1/crates'],
  parameters: listParameters,
  list: { member: 'crates', fields: operationFields },
  check: (request): request is ListParameters => isRecord(request),
}
const getCrate: Route<Crate, Crate> = { ...one, operationId: 'getCrate', path: ['/sample/v1/crates/', 'id'] }
const getLid: Route<Crate, Crate> = { ...one, operationId: 'getLid', path: ['/sample/v1/lids/', 'id'] }

const routes = ({ crates, lids }: Handlers): readonly BoundRoute[] => [
  bindList(listCrates, (request, context) => crates.listCrates(request, context)),
  bind(getCrate, (request, context) => crates.getCrate(request, context)),
  bind(getLid, (request, context) => lids.getLid(request, context)),
]

const lids: BuiltResources<Handlers, AreaEnvironment<SampleArea>> = {
  lids: () => ({ getLid: async ({ id }) => ({ id }) }),
}

const { routes: _own, ...generated } = handwritten(sample)
const functions = { taxonomy: taxonomyFunctions }

const areaWith = (built: BuiltResources<Handlers, AreaEnvironment<SampleArea>>) =>
  areaInProgress<SampleArea, Handlers>({ generated: { ...generated, routes }, functions, built })

/**
 * Serves the area with the handlers of `built`; returns a function that sends requests, by default as the
 * administrator.
 */
async function served(built: BuiltResources<Handlers, AreaEnvironment<SampleArea>>) {
  const dataDir = testFolder()
  const { url } = await testServer([areaWith(built)], dataDir)
  const authorization = `Bearer ${testToken}`
  return (path: string, headers: Readonly<Record<string, string>> = { authorization }): Promise<Response> =>
    fetch(url + path, { headers })
}

describe('an area in progress', () => {
  it('serves its built operations', async () => {
    const call = await served(lids)
    expect(await (await call('/sample/v1/lids/red')).json()).toEqual({ id: 'red' })
  })

  it('reports the other operations as not implemented, without a code', async () => {
    const call = await served(lids)
    const answer = await call('/sample/v1/crates/red')
    expect(answer.status).toBe(501)
    expect(await answer.json()).toEqual({
      code: 12,
      message: 'operation "getCrate" is not implemented yet',
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          reason: 'NOT_IMPLEMENTED',
          domain: 'sample',
          metadata: {},
        },
      ],
    })
  })

  it.each([
    ['/sample/v1/crate', {}, 404, 'ROUTE_NOT_FOUND'],
    ['/sample/v1/crates', {}, 401, 'TOKEN_MISSING'],
    ['/sample/v1/crates?colour=red', undefined, 400, 'FIELD_INVALID'],
    ['/sample/v1/crates?filter=colour%3Dred', undefined, 400, 'FILTER_INVALID'],
    ['/sample/v1/crates?order_by=colour', undefined, 400, 'ORDER_BY_INVALID'],
    ['/sample/v1/crates?page_token=x', undefined, 400, 'PAGE_TOKEN_INVALID'],
    ['/sample/v1/crates?filter=resource_id%3Dred', undefined, 501, 'NOT_IMPLEMENTED'],
  ])('checks %s like a built operation', async (path, headers, status, reason) => {
    const call = await served({})
    const answer = await call(path, headers)
    expect(answer.status).toBe(status)
    expect(await answer.json()).toMatchObject({ details: [{ reason }, ...(status === 400 ? [{}] : [])] })
  })

  it('lists the built resources', () => {
    expect(areaWith({}).built).toEqual([])
    expect(areaWith(lids).built).toEqual(['lids'])
  })

  it('has no resource with the name of an inherited property', async () => {
    const named = ({ constructor }: { readonly constructor: Handlers['lids'] }): readonly BoundRoute[] => [
      bind(getLid, (request, context) => constructor.getLid(request, context)),
    ]
    const dataDir = testFolder()
    const { url } = await testServer(
      [
        areaInProgress<SampleArea, { readonly constructor: Handlers['lids'] }>({
          generated: { ...generated, routes: named },
          functions,
          built: {},
        }),
      ],
      dataDir,
    )
    const token = testToken
    const answer = await fetch(`${url}/sample/v1/lids/red`, { headers: { authorization: `Bearer ${token}` } })
    expect(answer.status).toBe(501)
  })
})
