import { taxonomyFunctions } from '../../domain/taxonomy/functions.ts'
import type { Operations } from '../../domain/ports/operations.ts'
import type { Parts } from '../../domain/ports/area-parts.ts'
import type { Collection } from '../../domain/ports/store.ts'
import { bind, bindList } from '../../runtime/bind.ts'
import type { CallContext } from '../../runtime/context.ts'
import type { ListFields } from '../../runtime/filter/types.ts'
import { listParameters, type ListParameters } from '../../runtime/pagination.ts'
import type { BoundRoute, GeneratedArea, Route } from '../../runtime/route.ts'
import { isRecord, type Faults } from '../../runtime/validation.ts'
import { area, type AreaModule } from '../../server/area.ts'
import type { ErrorDomain } from '../../runtime/errors.ts'

/** The error domain of the sample, a minimal handwritten area: callers create, read and list crates. */
export const sample: ErrorDomain = { name: 'sample', base: 5_000_000 }

export interface Crate {
  readonly id: string
  readonly name: string
}

/** The operation record of the sample; the sample does not depend on further members. */
export interface SampleOperation {
  readonly id: string
  readonly resource_id: string
  readonly status: string
}

export const crates: Collection<Crate> = {
  name: 'sample_crates',
  id: 'id',
  list: {
    resource: 'crates',
    fields: [{ name: 'name', type: 'STRING', operators: ['=', '!=', ':'], sortable: true }],
    defaultOrder: 'name',
    key: 'id',
  },
}

export const operationFields: ListFields = {
  fields: [
    { name: 'insert_time', type: 'TIMESTAMP', operators: ['<', '>'], sortable: true },
    { name: 'resource_id', type: 'STRING', operators: ['='] },
  ],
  defaultOrder: 'insert_time desc',
  key: 'id',
}

export function checkOperation(value: unknown, faults: Faults): value is SampleOperation {
  if (!isRecord(value)) return faults.add('', 'must be an object')
  for (const name of ['id', 'resource_id', 'status']) {
    if (typeof value[name] !== 'string' || value[name] === '') faults.add(name, 'must be set')
  }
  return faults.count === 0
}

interface CreateCrate {
  readonly body: { readonly name: string }
}

const json = { type: 'application/json', kind: 'json' } as const
const access = { kind: 'permission', key: 'sample.crates.any', class: 'WRITE', scope: 'platform' } as const

const createCrate: Route<CreateCrate, SampleOperation> = {
  operationId: 'createCrate',
  method: 'POST',
  path: ['/sample/v1/crates'],
  body: { type: 'application/json', kind: 'json', required: true },
  success: [{ status: 200, ...json }],
  domain: sample,
  access,
  mode: 'sync',
  check: (request, faults): request is CreateCrate =>
    (isRecord(request) && isRecord(request['body']) && typeof request['body']['name'] === 'string') ||
    faults.add('name', 'is required'),
}

const listCrates: Route<ListParameters, { crates: readonly Crate[] }> = {
  operationId: 'listCrates',
  method: 'GET',
  path: ['/sample/v1/crates'],
  parameters: listParameters,
  success: [{ status: 200, ...json }],
  domain: sample,
  access,
  list: { member: 'crates', fields: crates.list ?? operationFields },
  check: (request): request is ListParameters => isRecord(request),
}

const getCrate: Route<{ readonly id: string }, Crate> = {
  operationId: 'getCrate',
  method: 'GET',
  path: ['/sample/v1/crates/', 'id'],
  parameters: [{ name: 'id', in: 'path', type: 'string' }],
  success: [{ status: 200, ...json }],
  domain: sample,
  access,
  check: (request): request is { readonly id: string } => isRecord(request) && typeof request['id'] === 'string',
}

const getUnguarded: Route<object, Crate> = {
  operationId: 'getUnguarded',
  method: 'GET',
  path: ['/sample/v1/unguarded'],
  success: [{ status: 200, ...json }],
  domain: sample,
  check: (request): request is object => isRecord(request),
}

/** The types of areas that are made for tests. */
export interface SampleArea {
  readonly record: SampleOperation
  readonly operationType: string
  readonly resourceType: string
}

/** Returns the generated part of an area with handwritten routes: the handlers are the routes. */
export const handwritten = (domain: ErrorDomain): GeneratedArea<SampleArea, readonly BoundRoute[]> => ({
  domain,
  operations: { list: operationFields, check: checkOperation },
  filters: [],
  permissions: [],
  routes: routes => routes,
})

/** Makes the sample area; `slow` adds a call that waits. */
export function sampleArea(slow?: { readonly wait: () => Promise<void> }): AreaModule {
  return area({
    generated: handwritten(sample),
    collections: [crates],
    // The area is mounted without the taxonomy, which the sample never calls.
    functions: { taxonomy: taxonomyFunctions },
    handlers: parts => routesOf(parts, slow),
    start: async tx => {
      if ((await tx.get(crates, 'first')) === undefined) await tx.insert(crates, { id: 'first', name: 'first' })
    },
  })
}

function routesOf(
  { store, clock, operations }: Parts<SampleArea>,
  slow: { readonly wait: () => Promise<void> } | undefined,
): readonly BoundRoute[] {
  return [
    bind(createCrate, (request, context) => create(operations, clock.newId(), request, context)),
    bindList(listCrates, (_request, { query }) => store.list(crates, query)),
    bind(getCrate, async ({ id }) => {
      if (id === 'slow') await slow?.wait()
      const found = await store.get(crates, id)
      return found?.text ?? { id, name: `none of ${id}` }
    }),
    bind(getUnguarded, async () => ({ id: 'x', name: 'x' })),
  ]
}

function create(
  operations: Operations<SampleArea>,
  id: string,
  request: CreateCrate,
  context: CallContext,
): ReturnType<Operations<SampleArea>['mutate']> {
  return operations.mutate(context, request, async tx => {
    await tx.insert(crates, { id, name: request.body.name })
    return { type: 'CREATE', resourceType: 'sample.crates', resourceId: id, scope: { type: 'PLATFORM', id: '' } }
  })
}
