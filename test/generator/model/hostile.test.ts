import { describe, expect, test } from 'vitest'
import { bareSchema, built, document, modelOf, operationNamed, read, schemaNamed } from '../reading.ts'

const ok = "responses: {'204': {description: ok}}"

describe('a foreign document', () => {
  test('may use the names of inherited properties', async () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype']
    const model = await modelOf(
      `paths:\n${names.map((name, i) => `  /p${i}: {get: {operationId: ${name}, tags: [${name}], ${ok}}}\n`).join('')}components:\n  schemas:\n${names.map(name => `    ${name}: {type: object, required: [${name}], properties: {${name}: {type: string}}}\n`).join('')}`,
    )
    const types = ['__proto__Schema', 'Constructor', 'ToString', 'HasOwnProperty', 'Prototype']
    expect(model.schemas.map(({ name }) => name)).toEqual(types)
    for (const { schema } of model.schemas) expect(schema).toMatchObject({ properties: [{ required: true }] })
    expect(model.operations.map(({ id }) => id)).toEqual(names)
    expect(model.operations[0]?.name).toBe('__proto__Operation')
    expect(model.groups.map(({ operations }) => operations.length)).toEqual([1, 1, 1, 1, 1])
    expect(Reflect.get({}, 'properties')).toBeUndefined()
  })

  test('keeps its texts unchanged', async () => {
    const text = '*/ globalThis.hit = 1; /* ` ${1} \' " \\ \u2028'
    const model = await modelOf(
      `components: {schemas: {A: ${JSON.stringify({ type: 'string', description: text, enum: [text], default: text })}}}\n`,
    )
    expect(bareSchema(model, 'A')).toEqual({ kind: 'enum', values: [text], description: text, default: text })
  })

  test('has legal names for any texts', async () => {
    const evil = "x'];globalThis.hit=1//"
    const model = await modelOf(
      `paths: {/a: {get: {operationId: ${JSON.stringify(evil)}, tags: [${JSON.stringify(evil)}], ${ok}}}}\ncomponents: {schemas: {${JSON.stringify(evil)}: {type: string}}}\n`,
    )
    expect(model.schemas[0]?.name).toBe('XGlobalThisHit1')
    expect(operationNamed(model, evil).name).toBe('xGlobalThisHit1')
    expect(model.groups[0]).toMatchObject({ name: 'xGlobalThisHit1', interfaceName: 'XGlobalThisHit1Handlers' })
  })

  test('may refer in chains of thousands', async () => {
    const links = Array.from(
      { length: 3_000 },
      (_, i) => `    A${i}: {type: object, properties: {n: {$ref: '#/components/schemas/A${i + 1}'}}}`,
    )
    const model = await modelOf(
      `components:\n  schemas:\n${links.join('\n')}\n    A3000: {type: object, properties: {x: {type: string, default: d}}}\n`,
    )
    expect(schemaNamed(model, 'A0').hasDefaults).toBe(true)
  })

  test('may extend and combine without limits, at a cost that grows with its size', async () => {
    const refs = (i: number): string => Array(3).fill(`{$ref: '#/components/schemas/A${i}'}`).join(', ')
    const levels = Array.from({ length: 30 }, (_, i) => `    A${i}: {allOf: [${refs(i + 1)}]}`)
    const filter = 'x-filter: {fields: [{name: id, type: STRING, sortable: true}], default_order_by: id}'
    const rows = "{type: array, items: {$ref: '#/components/schemas/A0'}}"
    const answer = `{type: object, properties: {rows: ${rows}, next_page_token: {type: string}}}`
    const model = await modelOf(
      `paths: {/a: {get: {operationId: x, ${filter}, responses: {'200': {description: ok, content: {application/json: {schema: ${answer}}}}}}}}\ncomponents:\n  schemas:\n${levels.join('\n')}\n    A30: {type: object, properties: {id: {type: string}}}\n`,
    )
    expect(operationNamed(model, 'x').list?.key).toBe('id')
  })

  test('is built without an exception even if its check found errors', async () => {
    const wrong = [
      'paths: {/a: {get: 1}, /b: [], c: {}}\n',
      'paths: {/a: {get: {parameters: {a: 1}, requestBody: [], responses: {x: 1}}}}\n',
      'paths: {/a: {get: {parameters: [1, {in: query}, {name: a}], responses: []}}}\n',
      'components: {schemas: {A: 1, B: {allOf: 1, oneOf: [1], properties: [], required: {}, enum: {}}, C: {$ref: 1}}}\n',
      "components: {schemas: {A: {$ref: '#/components/schemas/A'}, B: {allOf: [{$ref: '#/components/schemas/B'}]}}}\n",
      'x-errors: [1]\nx-permissions: {a: 1}\n',
      'paths: {/a: {get: {x-access: 1, x-filter: {fields: 1}, x-raises: 1, responses: {}}}}\n',
    ]
    for (const rest of wrong) {
      const reading = await read({ 'a.yaml': document(rest) })
      expect(reading.diagnostics.some(text => text.includes(' error '))).toBe(true)
      expect(() => built(reading)).not.toThrow()
    }
  })
})

test('5,000 operations are built, each once', async () => {
  const paths = Array.from(
    { length: 5_000 },
    (_, i) =>
      `  /p${i}: {get: {operationId: o${i}, tags: [t${i % 50}], responses: {'200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/S${i}'}}}}}}}\n`,
  )
  const schemas = paths.map(
    (_, i) =>
      `    S${i}: {type: object, properties: {next: {$ref: '#/components/schemas/S${(i + 1) % paths.length}'}}}\n`,
  )
  const reading = await read({
    'big.yaml': document(`paths:\n${paths.join('')}components:\n  schemas:\n${schemas.join('')}`),
  })
  const { diagnostics, model } = built(reading)
  expect([...reading.diagnostics, ...diagnostics]).toEqual([])
  expect(model.documents[0]?.operations).toHaveLength(5_000)
  expect(model.documents[0]?.groups).toHaveLength(50)
  expect(model.documents[0]?.schemas.every(({ isRecursive }) => isRecursive)).toBe(true)
})
