import { describe, expect, test } from 'vitest'
import { bare, built, codesOf, document, modelOf, operationNamed, read } from '../reading.ts'

const ok = "responses: {'204': {description: ok}}"
const access = (text: string, path = '/a/{b}'): string =>
  `paths:\n  ${path}:\n    parameters: [{name: b, in: path, required: true, schema: {type: string}}]\n    get: {operationId: x, x-access: {${text}}, ${ok}}\n`

/** Returns the paths of a document that lists rows with the properties `row`; `filter` is the schema of the filter. */
const list = (
  filter: string,
  row = 'id: {type: string}, state: {$ref: "#/components/schemas/State"}',
): string => `paths:
  /rows:
    get:
      operationId: listRows
      x-filter: {${filter}}
      responses:
        '200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/ListRowsResponse'}}}}
components:
  schemas:
    Row: {type: object, properties: {${row}}}
    State: {type: string, enum: [U, A, B], x-unspecified: U}
    ListRowsResponse:
      type: object
      properties: {rows: {type: array, items: {$ref: '#/components/schemas/Row'}}, next_page_token: {type: string}}
`

describe('x-filter', () => {
  test.each([
    ['STRING', ['=', '!=', '<', '<=', '>', '>=', ':']],
    ['BOOLEAN', ['=', '!=']],
    ['INTEGER', ['=', '!=', '<', '<=', '>', '>=']],
    ['TIMESTAMP', ['=', '!=', '<', '<=', '>', '>=']],
    ['MAP', ['=', '!=', '<', '<=', '>', '>=', ':']],
    ['PRESENCE', [':']],
    ['STRING[]', [':']],
  ])('gives %s its operators', async (type, operators) => {
    const model = await modelOf(list(`fields: [{name: id, type: '${type}', sortable: true}], default_order_by: id`))
    expect(operationNamed(model, 'listRows').list?.fields[0]).toMatchObject({ operators, list: type.endsWith('[]') })
  })

  test('is joined with the shape of the response', async () => {
    const model = await modelOf(
      list(
        'schema: rows, fields: [{name: state, type: ENUM}, {name: id, type: STRING, operators: [], sortable: true}], default_order_by: id desc',
      ),
    )
    const operation = operationNamed(model, 'listRows')
    expect(operation.answer).toBe('page')
    expect(bare(operation.list)).toEqual({
      member: 'rows',
      item: { kind: 'ref', target: 'pets.Row' },
      resource: 'rows',
      fields: [
        {
          name: 'state',
          type: 'ENUM',
          list: false,
          operators: ['=', '!=', ':'],
          sortable: false,
          enumValues: ['A', 'B'],
        },
        { name: 'id', type: 'STRING', list: false, operators: [], sortable: true },
      ],
      defaultOrder: 'id desc',
      key: 'id',
    })
  })

  test('of rows without an id uses the first field of the default order as the last sort key', async () => {
    const model = await modelOf(
      list(
        'fields: [{name: digest, type: STRING, sortable: true}], default_order_by: digest desc',
        'digest: {type: string}',
      ),
    )
    expect(operationNamed(model, 'listRows').list?.key).toBe('digest')
  })

  test('reaches into objects and the elements of lists, and names the type of a map', async () => {
    const row =
      'id: {type: string}, a: {type: object, properties: {b: {type: array, items: {type: object, properties: {c: {type: string}}}}}}, m: {type: object, additionalProperties: {type: integer}}'
    const reading = await read({
      'a.yaml': document(
        list(
          "fields: [{name: a.b.c, type: 'STRING[]'}, {name: m, type: MAP}, {name: id, type: STRING, sortable: true}], default_order_by: id",
          row,
        ),
      ),
    })
    const { diagnostics, model } = built(reading)
    expect(diagnostics).toEqual([])
    expect(model.documents[0]?.operations[0]?.list?.fields[1]?.values).toBe('INTEGER')
  })

  test('covers the property to which an intersection adds members', async () => {
    const added = (schema: string): string => `{allOf: [${schema}], readOnly: true}`
    const row = `id: {type: string}, state: ${added('{$ref: "#/components/schemas/State"}')}, states: ${added('{type: array, items: {$ref: "#/components/schemas/State"}}')}, m: ${added('{type: object, additionalProperties: {type: integer}}')}`
    const fields =
      "{name: state, type: ENUM}, {name: states, type: 'ENUM[]'}, {name: m, type: MAP}, {name: id, type: STRING, sortable: true}"
    const model = await modelOf(list(`fields: [${fields}], default_order_by: id`, row))
    expect(operationNamed(model, 'listRows').list?.fields).toMatchObject([
      { name: 'state', enumValues: ['A', 'B'] },
      { name: 'states', list: true, enumValues: ['A', 'B'] },
      { name: 'm', values: 'INTEGER' },
      { name: 'id' },
    ])
  })

  test('may name a field differently from its path', async () => {
    const tags = 'id: {type: string}, tags: {type: array, items: {type: object, properties: {name: {type: string}}}}'
    const fields = "{name: tags, path: tags.name, type: 'STRING[]'}, {name: id, path: id, type: STRING, sortable: true}"
    const model = await modelOf(list(`fields: [${fields}], default_order_by: id`, tags))
    expect(operationNamed(model, 'listRows').list?.fields).toMatchObject([
      { name: 'tags', path: 'tags.name', type: 'STRING', list: true },
      { name: 'id' },
    ])
    expect(operationNamed(model, 'listRows').list?.fields[1]).not.toHaveProperty('path')
  })

  test.each([
    [
      'a field the rows lack',
      'fields: [{name: stat, type: STRING, sortable: true}], default_order_by: stat',
      'filter-field-unknown',
    ],
    [
      'a path the rows lack',
      'fields: [{name: id, path: id.name, type: STRING, sortable: true}], default_order_by: id',
      'filter-field-unknown',
    ],
    [
      'an unknown enum',
      'fields: [{name: id, type: ENUM, enum: Row, sortable: true}], default_order_by: id',
      'filter-enum-unknown',
    ],
    [
      'an order by a field that cannot be sorted',
      'fields: [{name: id, type: STRING}], default_order_by: id',
      'filter-order',
    ],
  ])('with %s is reported', async (_, filter, code) => {
    const { diagnostics } = built(await read({ 'a.yaml': document(list(filter)) }))
    expect(codesOf(diagnostics)).toEqual([`7 ${code}`])
  })

  test('on an operation that returns no rows is reported', async () => {
    const text = list('fields: [], default_order_by: id').replace(
      'type: array, items',
      'type: object, properties: {}, x-items',
    )
    const { diagnostics } = built(await read({ 'a.yaml': document(text) }))
    expect(codesOf(diagnostics)).toEqual(['7 list-without-rows'])
  })
})

describe('permissions', () => {
  test.each([
    ['scope: platform', '/a/{b}', ['PLATFORM']],
    ['scope: parent', '/organisations/{b}', ['ORGANISATION', 'GROUP']],
    ['scope: path', '/organisations/{b}', ['ORGANISATION']],
    ['scope: path', '/organisations/{b}/groups/{id}', ['GROUP']],
    ['scope: path', '/workspaces/{b}/engines/{engine}/organisations', ['WORKSPACE']],
    ['scope: path', '/scopes/{scope_type}/{scope_id}/access', ['ORGANISATION', 'GROUP', 'WORKSPACE']],
    ['scope: row, scope_types: [WORKSPACE, PLATFORM]', '/a/{b}', ['PLATFORM', 'WORKSPACE']],
  ])('with %s at %s are held at %j', async (scope, path, scopeTypes) => {
    const model = await modelOf(access(`kind: permission, key: t.a.get, class: READ, ${scope}`, path))
    expect(model.permissions).toEqual([
      expect.objectContaining({ key: 't.a.get', class: 'READ', scopeTypes, stage: 'GA', operations: ['x'] }),
    ])
  })

  test('are joined from operations and x-permissions, by key', async () => {
    const model = await modelOf(
      `${access('kind: permission, key: t.b.get, class: DATA, scope: platform')}x-permissions:\n  - {key: t.b.get, class: DATA, scope_types: [WORKSPACE], description: Reads a b; also from above.}\n  - {key: t.a.use, class: WRITE, scope_types: [GROUP]}\n`,
    )
    expect(model.permissions).toEqual([
      {
        key: 't.a.use',
        class: 'WRITE',
        scopeTypes: ['GROUP'],
        displayName: undefined,
        description: undefined,
        stage: 'GA',
        operations: [],
      },
      {
        key: 't.b.get',
        class: 'DATA',
        scopeTypes: ['PLATFORM', 'WORKSPACE'],
        displayName: 'Reads a b',
        description: 'Reads a b; also from above.',
        stage: 'GA',
        operations: ['x'],
      },
    ])
  })

  test.each([
    ['/vault/alpha/a/{b}', 'ALPHA'],
    ['/vault/v1alpha2/a/{b}', 'ALPHA'],
    ['/vault/v1/alpha/{b}', 'GA'],
    ['/alpha/v1/a/{b}', 'GA'],
  ])('carried at %s alone are %s', async (path, stage) => {
    const model = await modelOf(access('kind: permission, key: t.a.get, class: READ, scope: platform', path))
    expect(model.permissions).toEqual([expect.objectContaining({ key: 't.a.get', stage })])
  })

  test('of two classes are reported', async () => {
    const text = `${access('kind: permission, key: k, class: READ, scope: platform')}x-permissions: [{key: k, class: DATA, scope_types: [GROUP]}]\n`
    expect(codesOf(built(await read({ 'a.yaml': document(text) })).diagnostics)).toEqual(['6 permission-differs'])
  })

  test.each(['public', 'own', 'authenticated'])('are missing if access is %s', async kind => {
    const model = await modelOf(access(`kind: ${kind}`))
    expect(model.permissions).toEqual([])
    expect(operationNamed(model, 'x').access).toEqual({ kind })
  })
})

describe('errors', () => {
  test('have the base of their area, and metadata in order', async () => {
    const model = await modelOf(
      'x-errors: {GONE: {code: 7004001, rpc: NOT_FOUND, description: d, metadata: {b: one, a: two}}}\n',
    )
    expect(model.domain).toEqual({ name: 'pets', base: 7_000_000 })
    expect(model.errors).toEqual([
      {
        reason: 'GONE',
        code: 7_004_001,
        rpc: 'NOT_FOUND',
        description: 'd',
        metadata: [
          { name: 'b', description: 'one' },
          { name: 'a', description: 'two' },
        ],
      },
    ])
  })

  test('that are common have no base', async () => {
    const model = await modelOf('x-errors: {GONE: {code: 17, description: d}}\n')
    expect(model.domain).toEqual({ name: 'pets', base: undefined })
  })

  test.each([
    ['a code twice', '{A: {code: 7000001, description: d}, B: {code: 7000001, description: d}}', 'reason-code-twice'],
    ['codes of two areas', '{A: {code: 7000001, description: d}, B: {code: 6000001, description: d}}', 'reason-base'],
  ])('with %s are reported', async (_, errors, code) => {
    const { diagnostics } = built(await read({ 'a.yaml': document(`x-errors: ${errors}\n`) }))
    expect(codesOf(diagnostics)).toEqual([`4 ${code}`])
  })

  test('that an operation may raise are empty or undeclared', async () => {
    const model = await modelOf(
      `paths:\n  /a: {get: {operationId: a, x-raises: [], ${ok}}, put: {operationId: b, ${ok}}}\n`,
    )
    expect(model.operations.map(({ raises }) => raises)).toEqual([[], undefined])
  })
})

describe('an operation that can be waited for', () => {
  const answering = (id: string, path: string, schema: string, status = '200'): string =>
    `  ${path}: {post: {operationId: ${id}, responses: {'${status}': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/${schema}'}}}}}}}\n`
  const schemas = `components:
  schemas:
    Op: {type: object, x-resource: {type: t.operations, plural: operations}}
    WithToken: {allOf: [{$ref: '#/components/schemas/Op'}, {type: object, properties: {token: {type: string}}}]}
    Circle: {allOf: [{$ref: '#/components/schemas/Circle'}]}
    Other: {type: object}
`
  test.each([
    ['Op', '200', true],
    ['Op', '202', true],
    ['Op', '201', false],
    ['WithToken', '200', true],
    ['Other', '200', false],
    ['Circle', '200', false],
  ])('answers %s with %s: %s', async (schema, status, expected) => {
    const model = await modelOf(
      `paths:\n${answering('x', '/a', schema, status)}${answering('getOperation', '/b', 'Op')}${schemas}`,
    )
    expect(operationNamed(model, 'x').returnsOperation).toBe(expected)
    expect(operationNamed(model, 'getOperation').returnsOperation).toBe(false)
  })

  test('needs getOperation', async () => {
    const model = await modelOf(`paths:\n${answering('x', '/a', 'Op')}${schemas}`)
    expect(operationNamed(model, 'x').returnsOperation).toBe(false)
  })
})
