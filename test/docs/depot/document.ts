import { operationSchemas } from './operation-schemas.ts'

/**
 * This module builds the OpenAPI document of the depot, the area of docs/domain.md: shelves, and crates that stand on
 * shelves.
 */

const common = (part: string) => ({ $ref: `common.yaml#/components/${part}` })
const own = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const text = { type: 'string' } as const
const set = { ...text, readOnly: true } as const
const uuid = { ...text, format: 'uuid' } as const
const name = { ...text, minLength: 1, maxLength: 63, pattern: '^[a-z][a-z0-9-]*$', 'x-immutable': true } as const

const place = [
  { name: 'workspace', in: 'path', required: true, schema: uuid },
  { name: 'engine', in: 'path', required: true, schema: text },
]
const byId = { name: 'id', in: 'path', required: true, schema: uuid }
const paging = ['PageSize', 'PageToken', 'Filter', 'OrderBy'].map(each => common(`parameters/${each}`))
const key = common('parameters/IdempotencyKey')

/** Returns an operation with its response, its permission and its reasons. */
function operation(operationId: string, resource: string, verb: string, answer: object, more: object = {}): object {
  const isRead = verb === 'list' || verb === 'get'
  return {
    operationId,
    tags: [resource],
    'x-access': {
      kind: 'permission',
      key: `depot.${resource}.${verb}`,
      class: isRead ? 'READ' : 'WRITE',
      scope: 'path',
    },
    'x-mode': isRead ? 'data' : 'sync',
    responses: {
      200: { description: 'The answer.', content: { 'application/json': { schema: answer } } },
      '4XX': common('responses/ClientError'),
      '5XX': common('responses/ServerError'),
    },
    ...more,
  }
}

const page = (plural: string, of: object) => ({
  type: 'object',
  required: [plural, 'next_page_token'],
  properties: { [plural]: { type: 'array', items: of }, next_page_token: text },
})

const json = (schema: object) => ({ required: true, content: { 'application/json': { schema } } })
const record = own('DepotOperation')

const listed = (schema: string, fields: readonly object[], more: object = {}) => ({
  'x-filter': { schema, fields, default_order_by: 'name asc' },
  parameters: paging,
  ...more,
})

const named = { name: 'name', type: 'STRING', sortable: true }
const base = '/depot/v1/workspaces/{workspace}/engines/{engine}'

const paths = {
  '/depot/v1/operations': {
    get: operation('listOperations', 'operations', 'list', own('ListOperationsResponse'), {
      'x-access': {
        kind: 'permission',
        key: 'depot.operations.list',
        class: 'READ',
        scope: 'filtered',
        scope_types: ['PLATFORM', 'ORGANISATION', 'GROUP', 'WORKSPACE'],
        own: true,
      },
      ...listed('operations', [
        { name: 'resource_id', type: 'STRING' },
        { name: 'insert_time', type: 'TIMESTAMP', sortable: true },
      ]),
      'x-filter': {
        schema: 'operations',
        fields: [
          { name: 'resource_id', type: 'STRING' },
          { name: 'insert_time', type: 'TIMESTAMP', sortable: true },
        ],
        default_order_by: 'insert_time desc',
      },
    }),
  },
  [`${base}/shelves`]: {
    parameters: place,
    get: operation('listShelves', 'shelves', 'list', own('ListShelvesResponse'), listed('shelves', [named])),
    post: operation('createShelf', 'shelves', 'create', record, {
      requestBody: json(own('Shelf')),
      parameters: [key],
      'x-raises': ['SHELF_ALREADY_EXISTS'],
    }),
  },
  [`${base}/shelves/{id}`]: {
    parameters: [...place, byId],
    get: operation('getShelf', 'shelves', 'get', own('Shelf'), { 'x-raises': ['SHELF_NOT_FOUND'] }),
    delete: operation('deleteShelf', 'shelves', 'delete', record, {
      parameters: [common('parameters/Etag'), key],
      'x-raises': ['SHELF_NOT_FOUND', 'SHELF_IN_USE'],
    }),
  },
  [`${base}/crates`]: {
    parameters: place,
    get: operation(
      'listCrates',
      'crates',
      'list',
      own('ListCratesResponse'),
      listed('crates', [
        named,
        { name: 'weight', type: 'INTEGER', sortable: true },
        { name: 'state', type: 'ENUM', enum: 'CrateState', sortable: true },
        { name: 'room', type: 'STRING', sortable: true },
      ]),
    ),
    post: operation('createCrate', 'crates', 'create', record, {
      requestBody: json(own('Crate')),
      parameters: [key],
      'x-raises': ['CRATE_ALREADY_EXISTS', 'SHELF_NOT_FOUND', 'REGION_NOT_FOUND', 'CRATE_TOO_HEAVY'],
    }),
  },
  [`${base}/crates/{id}`]: {
    parameters: [...place, byId],
    get: operation('getCrate', 'crates', 'get', own('Crate'), { 'x-raises': ['CRATE_NOT_FOUND'] }),
    patch: operation('updateCrate', 'crates', 'update', record, {
      requestBody: json(own('Crate')),
      parameters: [common('parameters/UpdateMask'), key],
      'x-raises': ['CRATE_NOT_FOUND', 'CRATE_STATE_INVALID', 'CRATE_TOO_HEAVY'],
    }),
    delete: operation('deleteCrate', 'crates', 'delete', record, {
      parameters: [common('parameters/Etag'), key],
      'x-raises': ['CRATE_NOT_FOUND'],
    }),
  },
  [`${base}/crates/{id}:seal`]: {
    parameters: [...place, byId],
    post: operation('sealCrate', 'crates', 'seal', record, {
      parameters: [key],
      'x-raises': ['CRATE_NOT_FOUND', 'CRATE_STATE_INVALID'],
    }),
  },
}

const standard = {
  id: { ...set, format: 'uuid' },
  workspace_id: { ...set, format: 'uuid' },
  engine: set,
  etag: { ...text, 'x-precondition': true },
  create_time: { ...set, format: 'date-time' },
  update_time: { ...set, format: 'date-time' },
}
const standardRequired = ['id', 'workspace_id', 'engine', 'create_time', 'update_time', 'name']

const schemas = {
  Shelf: {
    type: 'object',
    'x-resource': { type: 'depot.shelves', plural: 'shelves' },
    additionalProperties: false,
    required: [...standardRequired, 'room'],
    properties: { ...standard, name, room: { ...text, minLength: 1, maxLength: 63 } },
  },
  Crate: {
    type: 'object',
    'x-resource': { type: 'depot.crates', plural: 'crates' },
    additionalProperties: false,
    required: [...standardRequired, 'region', 'shelf_id', 'weight', 'state', 'room'],
    properties: {
      ...standard,
      name,
      labels: { allOf: [common('schemas/Labels')], default: {} },
      region: { ...text, minLength: 1, maxLength: 63, 'x-immutable': true },
      shelf_id: { ...uuid, 'x-immutable': true },
      weight: { type: 'integer', format: 'int32', minimum: 0 },
      room: set,
      state: { allOf: [own('CrateState')], readOnly: true },
    },
  },
  CrateState: {
    type: 'string',
    'x-unspecified': 'DEPOT_CRATE_STATE_UNSPECIFIED',
    enum: ['UNSPECIFIED', 'OPEN', 'SEALING', 'SEALED'].map(each => `DEPOT_CRATE_STATE_${each}`),
  },
  ListShelvesResponse: page('shelves', own('Shelf')),
  ListCratesResponse: page('crates', own('Crate')),
  ListOperationsResponse: page('operations', record),
  ...operationSchemas('Depot', 'depot', ['CREATE', 'UPDATE', 'DELETE', 'SEAL']),
}

const reason = (code: number, rpc: string, more: object = {}) => ({ code, rpc, description: 'See docs.', ...more })

/** The OpenAPI document of the depot, as JSON text. */
export const depotDocument: string = JSON.stringify({
  openapi: '3.0.3',
  info: { title: 'Ninefold depot', version: '0.0.1' },
  'x-errors': {
    SHELF_NOT_FOUND: reason(9001001, 'NOT_FOUND'),
    SHELF_ALREADY_EXISTS: reason(9001002, 'ALREADY_EXISTS'),
    SHELF_IN_USE: reason(9001003, 'FAILED_PRECONDITION'),
    CRATE_NOT_FOUND: reason(9002001, 'NOT_FOUND'),
    CRATE_ALREADY_EXISTS: reason(9002002, 'ALREADY_EXISTS'),
    CRATE_STATE_INVALID: reason(9002003, 'FAILED_PRECONDITION', {
      metadata: { current_state: 'The state now.', allowed_states: 'What it must be.' },
    }),
    CRATE_TOO_HEAVY: reason(9002004, 'INVALID_ARGUMENT'),
    REGION_NOT_FOUND: reason(9002005, 'INVALID_ARGUMENT'),
  },
  paths,
  components: { schemas },
})
