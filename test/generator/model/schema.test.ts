import { describe, expect, test } from 'vitest'
import { bareSchema, built, codesOf, document, modelOf, read, schemaNamed } from '../reading.ts'

const schemas = (text: string): string => `components:\n  schemas:\n${text.replace(/^/gm, '    ')}\n`
const ref = (name: string): string => `{$ref: '#/components/schemas/${name}'}`
const property = (name: string, schema: object, more: object = {}): object => ({
  name,
  schema,
  required: false,
  access: 'both',
  immutable: false,
  ...more,
})

describe('a schema becomes', () => {
  test.each<readonly [string, string, object]>([
    [
      'text',
      '{type: string, minLength: 1, pattern: a, format: uuid}',
      { kind: 'string', format: 'uuid', minLength: 1, pattern: 'a' },
    ],
    ['text without the pattern of another dialect', "{type: string, pattern: '(?i)a'}", { kind: 'string' }],
    [
      'a number with open bounds',
      '{type: number, minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: false}',
      { kind: 'number', integer: false, minimum: 0, exclusiveMinimum: true, maximum: 1 },
    ],
    ['an integer', '{type: integer, multipleOf: 5}', { kind: 'number', integer: true, multipleOf: 5 }],
    [
      'a list',
      '{type: array, items: {type: boolean}, uniqueItems: true, maxItems: 0}',
      { kind: 'array', items: { kind: 'boolean' }, maxItems: 0, uniqueItems: true },
    ],
    [
      'a map',
      '{type: object, additionalProperties: {type: string}, x-key-pattern: a}',
      { kind: 'object', properties: [], additional: { kind: 'string' }, keyPattern: 'a' },
    ],
    [
      'a closed object',
      '{type: object, additionalProperties: false}',
      { kind: 'object', properties: [], additional: false },
    ],
    [
      'an object that says it is open',
      '{type: object, additionalProperties: {}}',
      { kind: 'object', properties: [], additional: 'any' },
    ],
    [
      'an object that only requires',
      '{type: object, required: [a]}',
      { kind: 'object', properties: [property('a', { kind: 'any' }, { required: true })], additional: 'open' },
    ],
    [
      'an enum without the values that can never match',
      '{type: string, enum: [a, a, 1, null, b]}',
      { kind: 'enum', values: ['a', 'b'], nullable: true },
    ],
    ['an enum of several types', '{enum: [x, 1, true]}', { kind: 'enum', values: ['x', 1, true] }],
    ['nothing', '{type: string, enum: [1]}', { kind: 'never' }],
    ['anything', '{description: d}', { kind: 'any', description: 'd' }],
    [
      'the type that its keywords imply',
      '{properties: {a: {minimum: 3}}}',
      {
        kind: 'object',
        properties: [property('a', { kind: 'number', integer: false, minimum: 3, implied: true })],
        additional: 'open',
        implied: true,
      },
    ],
    [
      'its only branch',
      '{nullable: true, description: d, allOf: [{type: string}]}',
      { kind: 'string', nullable: true, description: 'd' },
    ],
    [
      'a union',
      '{anyOf: [{type: string}, {type: integer}]}',
      { kind: 'union', exactlyOne: false, of: [{ kind: 'string' }, { kind: 'number', integer: true }] },
    ],
    ['its only form', '{oneOf: [{type: string}]}', { kind: 'string' }],
    [
      'one object of open branches',
      '{allOf: [{type: object, properties: {a: {type: string}}}, {required: [a]}], properties: {b: {type: string}}}',
      {
        kind: 'object',
        properties: [property('a', { kind: 'string' }, { required: true }), property('b', { kind: 'string' })],
        additional: 'open',
      },
    ],
    [
      'an intersection with its forms',
      '{type: object, properties: {a: {type: string}}, oneOf: [{required: [a]}, {required: [b]}]}',
      {
        kind: 'intersection',
        of: [
          { kind: 'object', properties: [property('a', { kind: 'string' })], additional: 'open' },
          {
            kind: 'union',
            exactlyOne: true,
            of: [
              { kind: 'object', properties: [property('a', { kind: 'any' }, { required: true })], additional: 'open' },
              { kind: 'object', properties: [property('b', { kind: 'any' }, { required: true })], additional: 'open' },
            ],
          },
        ],
      },
    ],
  ])('%s', async (_, text, expected) => {
    expect(bareSchema(await modelOf(schemas(`A: ${text}`)), 'A')).toEqual(expected)
  })

  test('a reference, with its sibling members', async () => {
    const model = await modelOf(
      schemas(
        `A: {type: object, properties: {b: {$ref: '#/components/schemas/B', nullable: true, description: d}}}\nB: {type: string, default: x}`,
      ),
    )
    expect(bareSchema(model, 'A')).toMatchObject({
      properties: [property('b', { kind: 'ref', target: 'pets.B', nullable: true, description: 'd', default: 'x' })],
    })
  })

  test('an intersection in which a closed branch stays separate', async () => {
    const model = await modelOf(
      schemas(
        `A: {allOf: [${ref('B')}, {type: object, properties: {c: {type: string}}}]}\nB: {type: object, additionalProperties: false}`,
      ),
    )
    expect(bareSchema(model, 'A')).toEqual({
      kind: 'intersection',
      of: [
        { kind: 'ref', target: 'pets.B' },
        { kind: 'object', properties: [property('c', { kind: 'string' })], additional: 'open' },
      ],
    })
  })

  test('properties in the order of the document, with their direction', async () => {
    const model = await modelOf(
      schemas(
        `A:\n  type: object\n  properties:\n    z: {type: string, readOnly: true}\n    a: {type: string, writeOnly: true}\n    m: {allOf: [${ref('B')}], x-immutable: true}\n    r: ${ref('B')}\nB: {type: string, readOnly: true}`,
      ),
    )
    expect(bareSchema(model, 'A')).toMatchObject({
      properties: [
        { name: 'z', access: 'output' },
        { name: 'a', access: 'input' },
        { name: 'm', access: 'output', immutable: true, schema: { kind: 'ref', target: 'pets.B' } },
        { name: 'r', access: 'output' },
      ],
    })
  })

  test('a default only if it matches', async () => {
    const model = await modelOf(
      schemas(
        'A: {type: object, properties: {a: {type: integer, default: x}, b: {type: string, nullable: true, default: null}}}',
      ),
    )
    expect(bareSchema(model, 'A')).toMatchObject({
      properties: [{ schema: { kind: 'number', integer: true } }, { schema: { default: null } }],
    })
  })
})

describe('a discriminator', () => {
  test('maps values to branches: by reference, by bare name, or by the name of the branch', async () => {
    const model = await modelOf(
      schemas(
        `U:\n  oneOf: [${ref('A')}, ${ref('B')}, ${ref('C')}]\n  discriminator: {propertyName: k, mapping: {a: '#/components/schemas/A', b: B, aa: A}}\nA: &o {type: object, required: [k], properties: {k: {type: string}}}\nB: *o\nC: *o`,
      ),
    )
    expect(bareSchema(model, 'U')).toMatchObject({
      discriminator: {
        property: 'k',
        mapping: [
          ['a', 'pets.A'],
          ['b', 'pets.B'],
          ['aa', 'pets.A'],
          ['C', 'pets.C'],
        ],
      },
    })
  })

  test('of a schema that others extend makes it the union of them, and keeps their common part separate', async () => {
    const model = await modelOf(
      schemas(
        `Base: {type: object, required: [k], properties: {k: {type: string}}, discriminator: {propertyName: k, mapping: {one: '#/components/schemas/One'}}}\nOne: {allOf: [${ref('Base')}, {type: object, properties: {a: {type: string}}}]}\nTwo: {allOf: [${ref('One')}]}`,
      ),
    )
    expect(bareSchema(model, 'Base')).toEqual({
      kind: 'union',
      exactlyOne: true,
      of: [
        { kind: 'ref', target: 'pets.One' },
        { kind: 'ref', target: 'pets.Two' },
      ],
      discriminator: {
        property: 'k',
        mapping: [
          ['one', 'pets.One'],
          ['Two', 'pets.Two'],
        ],
      },
    })
    expect(bareSchema(model, 'One')).toMatchObject({ of: [{ kind: 'ref', target: 'pets.BaseBase' }, {}] })
    expect(bareSchema(model, 'BaseBase')).toMatchObject({ kind: 'object', properties: [{ name: 'k' }] })
  })

  test.each([
    ['an inline branch', `U: {oneOf: [{type: object}], discriminator: {propertyName: k}}`, 'discriminator-inline'],
    ['nothing that extends it', `U: {type: object, discriminator: {propertyName: k}}`, 'discriminator-alone'],
    [
      'a mapping to no branch',
      `U: {oneOf: [${ref('A')}], discriminator: {propertyName: k, mapping: {b: B}}}\nA: {type: object}\nB: {type: object}`,
      'discriminator-target',
    ],
  ])('with %s is reported', async (_, text, code) => {
    const { diagnostics } = built(await read({ 'pets.yaml': document(schemas(text)) }))
    expect(codesOf(diagnostics).map(line => line.split(' ')[1])).toEqual([code])
  })
})

describe('building reports', () => {
  test.each([
    ['a union of itself', `A: {oneOf: [${ref('A')}, {type: string}]}`, 'schema-cycle'],
    [
      'branches of each other',
      `A: {allOf: [${ref('B')}, {type: object}]}\nB: {allOf: [${ref('A')}, {type: object}]}`,
      'schema-cycle',
    ],
    [
      'forms that overlap',
      `A: {oneOf: [{type: object, properties: {a: {type: string}}}, {type: object}]}`,
      'branches-overlap',
    ],
    [
      'a form that overlaps another form',
      `A: {oneOf: [{type: string}, ${ref('B')}]}\nB: {anyOf: [{type: integer}, ${ref('C')}]}\nC: {type: string}`,
      'branches-overlap',
    ],
    ['numbers that overlap', 'A: {oneOf: [{type: integer}, {type: number}]}', 'branches-overlap'],
    [
      'a closed branch that refuses a required member',
      `A: {allOf: [${ref('B')}, {type: object, required: [c], properties: {c: {type: string}}}]}\nB: {type: object, additionalProperties: false}`,
      'branch-unmeetable',
    ],
    ['a schema without a type', 'A: {minimum: 1}', 'type-missing'],
  ])('%s', async (_, text, code) => {
    const { diagnostics } = built(await read({ 'pets.yaml': document(schemas(text)) }))
    expect(new Set(codesOf(diagnostics).map(line => line.split(' ')[1]))).toEqual(new Set([code]))
  })

  test.each([
    ['other kinds', 'A: {oneOf: [{type: string}, {type: integer}, {type: boolean}]}'],
    [
      'other kinds than the forms of another union',
      `A: {oneOf: [${ref('B')}, {type: array, items: {type: string}}]}\nB: {oneOf: [{type: string}, {type: integer}]}`,
    ],
    ['other choices', 'A: {oneOf: [{enum: [a, b]}, {enum: [c]}]}'],
    [
      'a property of other choices',
      'A: {oneOf: [{type: object, required: [k], properties: {k: {enum: [a]}}}, {type: object, required: [k], properties: {k: {enum: [b]}}}]}',
    ],
    [
      'a closed form without a required member of the other',
      'A: {oneOf: [{type: object, additionalProperties: false}, {type: object, required: [a]}]}',
    ],
    ['alternatives of anyOf', 'A: {anyOf: [{type: string}, {type: string}]}'],
  ])('no overlap of %s', async (_, text) => {
    const { diagnostics } = built(await read({ 'pets.yaml': document(schemas(text)) }))
    expect(diagnostics).toEqual([])
  })
})

describe('schemas in other files', () => {
  test('are named by component, by file and folder, or by pointer, and belong to the document that uses them', async () => {
    const inParts = `A:\n  type: object\n  properties:\n    a: {$ref: models/user.yaml}\n    b: {$ref: requests/user.yaml}\n    c: {$ref: 'parts.yaml#/components/schemas/Fault'}\n    d: {$ref: 'parts.yaml#/components/schemas/Fault/properties/code'}\nNamed: {$ref: models/named.yaml}`
    const reading = await read({
      'pets.yaml': document(schemas(inParts)),
      'models/user.yaml': 'type: string\n',
      'models/named.yaml': 'type: string\n',
      'requests/user.yaml': 'type: integer\n',
      'parts.yaml': schemas('Fault: {type: object, properties: {code: {type: string}}}'),
    })
    const { model, diagnostics } = built(reading)
    expect(diagnostics).toEqual([])
    expect(model.documents[0]?.schemas.map(({ id }) => id)).toEqual([
      'pets.A',
      'pets.Named',
      'pets.User',
      'pets.RequestsUser',
      'pets.Fault',
      'pets.FaultCode',
    ])
  })

  test('of another entry belong to that entry', async () => {
    const reading = await read(
      {
        'one.yaml': document(schemas(`A: {type: object, properties: {b: {$ref: 'two.yaml#/components/schemas/B'}}}`)),
        'two.yaml': document(schemas(`B: {$ref: 'parts.yaml#/components/schemas/C'}`)),
        'parts.yaml': schemas('C: {type: string}'),
      },
      ['one.yaml', 'two.yaml'],
    )
    const { model } = built(reading)
    expect(model.documents.map(({ name, schemas: own }) => [name, own.map(({ id }) => id)])).toEqual([
      ['one', ['one.A']],
      ['two', ['two.B']],
    ])
    expect(bareSchema(model.documents[0] ?? expect.fail(), 'A')).toMatchObject({
      properties: [{ schema: { target: 'two.B' } }],
    })
  })
})

test('recursion is found directly and through others, but not in siblings', async () => {
  const model = await modelOf(
    schemas(
      `Self: {type: object, properties: {s: ${ref('Self')}}}\nA: {type: object, properties: {b: ${ref('B')}}}\nB: {type: array, items: ${ref('A')}}\nOutside: {type: object, properties: {a: ${ref('A')}}}`,
    ),
  )
  expect(model.schemas.filter(({ isRecursive }) => isRecursive).map(({ name }) => name)).toEqual(['Self', 'A', 'B'])
  expect(schemaNamed(model, 'Outside').isRecursive).toBe(false)
})
