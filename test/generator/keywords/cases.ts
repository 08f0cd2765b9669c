/** A schema with values that fit it and values that do not. */
export interface KeywordCase {
  /** The keyword that the values prove. */
  readonly keyword: string
  readonly schema: object
  readonly fitting: readonly unknown[]
  readonly refused: readonly unknown[]
  /** Fitting values with undeclared members, which TypeScript refuses in literals. */
  readonly further?: readonly unknown[]
  /** The refused values that the TypeScript type refuses too. */
  readonly untyped?: readonly unknown[]
}

const text = { type: 'string' }
const integer = { type: 'integer' }

/** The cases of the keywords that OpenAPI 3.0 and 3.1 share. */
export const sharedCases: readonly KeywordCase[] = [
  { keyword: 'type', schema: text, fitting: ['', 'a'], refused: [1, null, [], {}, true], untyped: [1, null, [], true] },
  {
    keyword: 'type',
    schema: integer,
    fitting: [0, -1, 2 ** 53 - 1],
    refused: ['1', 1.5, 2 ** 53, null],
    untyped: ['1', null],
  },
  { keyword: 'format', schema: { ...text, format: 'uuid' }, fitting: [crypto.randomUUID()], refused: ['a', ''] },
  { keyword: 'format', schema: { ...integer, format: 'int32' }, fitting: [2 ** 31 - 1], refused: [2 ** 31] },
  { keyword: 'multipleOf', schema: { type: 'number', multipleOf: 0.1 }, fitting: [0.3, 2, 0], refused: [0.35] },
  { keyword: 'maximum', schema: { ...integer, maximum: 3 }, fitting: [3, -9], refused: [4] },
  { keyword: 'minimum', schema: { ...integer, minimum: 3 }, fitting: [3, 9], refused: [2] },
  { keyword: 'maxLength', schema: { ...text, maxLength: 2 }, fitting: ['', '\u{1f600}\u{1f600}'], refused: ['abc'] },
  { keyword: 'minLength', schema: { ...text, minLength: 2 }, fitting: ['ab'], refused: ['', '\u{1f600}'] },
  { keyword: 'pattern', schema: { ...text, pattern: '^a.c' }, fitting: ['abcd'], refused: ['xabc'] },
  { keyword: 'items', schema: { type: 'array', items: text }, fitting: [[], ['a']], refused: [[1]], untyped: [[1]] },
  {
    keyword: 'maxItems',
    schema: { type: 'array', items: text, maxItems: 1 },
    fitting: [[], ['a']],
    refused: [['a', 'b']],
  },
  { keyword: 'minItems', schema: { type: 'array', items: text, minItems: 1 }, fitting: [['a']], refused: [[]] },
  {
    keyword: 'uniqueItems',
    schema: { type: 'array', items: {}, uniqueItems: true },
    fitting: [[], [1, '1', true], [{ a: 1 }, { a: 2 }], [[1], [true]]],
    refused: [
      [1, 1],
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    ],
  },
  {
    keyword: 'properties',
    schema: { type: 'object', properties: { a: text } },
    fitting: [{}, { a: 'a' }],
    further: [{ b: 1 }],
    refused: [{ a: 1 }],
    untyped: [{ a: 1 }],
  },
  {
    keyword: 'required',
    schema: { type: 'object', required: ['a', 'b'], properties: { a: text } },
    fitting: [{ a: '', b: null }],
    refused: [{ a: '' }, { b: 1 }, {}],
    untyped: [{ a: '' }, {}],
  },
  {
    keyword: 'additionalProperties',
    schema: { type: 'object', properties: { a: text }, additionalProperties: false },
    fitting: [{}, { a: 'a' }],
    refused: [{ b: 1 }],
    untyped: [{ b: 1 }],
  },
  {
    keyword: 'additionalProperties',
    schema: { type: 'object', additionalProperties: integer },
    fitting: [{}, { a: 1 }],
    refused: [{ a: 'a' }],
    untyped: [{ a: 'a' }],
  },
  {
    keyword: 'maxProperties',
    schema: { type: 'object', maxProperties: 1 },
    fitting: [{}, { a: 1 }],
    refused: [{ a: 1, b: 2 }],
  },
  { keyword: 'minProperties', schema: { type: 'object', minProperties: 1 }, fitting: [{ a: 1 }], refused: [{}] },
  {
    keyword: 'enum',
    schema: { enum: ['a', 1, true] },
    fitting: ['a', 1, true],
    refused: ['b', '1', 2],
    untyped: ['b', 2],
  },
  {
    keyword: 'enum',
    schema: { enum: [{ a: 1, b: [2] }, [1], 'a'] },
    fitting: [{ b: [2], a: 1 }, [1], 'a'],
    refused: [{ a: 1 }, { a: 1, b: [2], c: 3 }, [], [1, 1], {}, '1'],
    untyped: [{ a: 1 }, [1, 1], '1'],
  },
  {
    keyword: 'allOf',
    schema: {
      allOf: [
        { type: 'object', required: ['a'], properties: { a: text } },
        { type: 'object', required: ['b'], properties: { b: integer } },
      ],
    },
    fitting: [{ a: 'a', b: 1 }],
    refused: [{ a: 'a' }, { b: 1 }, 'a'],
    untyped: [{ a: 'a' }, { b: 1 }, 'a'],
  },
  {
    keyword: 'anyOf',
    schema: { anyOf: [text, { type: 'number', minimum: 2 }] },
    fitting: ['', 2],
    refused: [1, true],
    untyped: [true],
  },
  {
    keyword: 'oneOf',
    schema: { oneOf: [integer, { type: 'number', minimum: 2 }] },
    fitting: [1, 2.5],
    refused: [2, 1.5, 'a'],
    untyped: ['a'],
  },
  { keyword: 'not', schema: { ...text, not: { maxLength: 2 } }, fitting: ['abc'], refused: ['ab'] },
]

/** The cases of the keywords that only OpenAPI 3.0 has, or that mean something else there. */
export const olderCases: readonly KeywordCase[] = [
  { keyword: 'nullable', schema: { ...text, nullable: true }, fitting: [null, 'a'], refused: [1], untyped: [1] },
  {
    keyword: 'exclusiveMinimum',
    schema: { type: 'number', minimum: 1, exclusiveMinimum: true },
    fitting: [1.1],
    refused: [1, 0],
  },
  {
    keyword: 'exclusiveMaximum',
    schema: { type: 'number', maximum: 1, exclusiveMaximum: true },
    fitting: [0.9],
    refused: [1, 2],
  },
]

/** The cases of the keywords that only OpenAPI 3.1 has, or that mean something else there. */
export const newerCases: readonly KeywordCase[] = [
  { keyword: 'type', schema: { type: ['string', 'null'] }, fitting: ['', null], refused: [1, {}], untyped: [1] },
  {
    keyword: 'type',
    schema: { type: ['integer', 'string', 'null'], minimum: 2, minLength: 2 },
    fitting: [2, 'ab', null],
    refused: [1, 'a', 2.5, true],
    untyped: [true],
  },
  { keyword: 'type', schema: { type: 'null' }, fitting: [null], refused: [0, '', 'null'], untyped: [0, ''] },
  { keyword: 'type', schema: { type: ['number', 'integer'] }, fitting: [1.5], refused: ['a'], untyped: ['a'] },
  {
    keyword: 'enum',
    schema: { type: ['string', 'null'], enum: ['a', null] },
    fitting: ['a', null],
    refused: ['b'],
    untyped: ['b'],
  },
  {
    keyword: 'enum',
    schema: { type: ['string', 'null'], enum: ['a'] },
    fitting: ['a'],
    refused: [null],
    untyped: [null],
  },
  { keyword: 'const', schema: { const: 'a' }, fitting: ['a'], refused: ['b', null], untyped: ['b', null] },
  { keyword: 'const', schema: { const: null }, fitting: [null], refused: ['null', 0], untyped: ['null', 0] },
  { keyword: 'const', schema: { const: 0 }, fitting: [0], refused: [false, '0'], untyped: [false, '0'] },
  {
    keyword: 'const',
    schema: { const: { a: [1, { b: null }] } },
    fitting: [{ a: [1, { b: null }] }],
    refused: [{ a: [1, { b: 1 }] }, { a: [1] }, {}, { a: [1, {}] }],
    untyped: [{ a: [1] }, {}],
  },
  { keyword: 'exclusiveMinimum', schema: { type: 'number', exclusiveMinimum: 1 }, fitting: [1.1], refused: [1, 0] },
  {
    keyword: 'exclusiveMinimum',
    schema: { type: 'number', minimum: 3, exclusiveMinimum: 1 },
    fitting: [3],
    refused: [2.9, 1],
  },
  { keyword: 'exclusiveMaximum', schema: { type: 'number', exclusiveMaximum: 1 }, fitting: [0.9], refused: [1, 2] },
  {
    keyword: 'exclusiveMaximum',
    schema: { type: 'number', maximum: 1, exclusiveMaximum: 1 },
    fitting: [0.9],
    refused: [1],
  },
  {
    keyword: 'contentEncoding',
    schema: { ...text, contentEncoding: 'base64' },
    fitting: ['YWJj', ''],
    refused: ['%', 'a'],
  },
  {
    keyword: 'prefixItems',
    schema: { type: 'array', prefixItems: [text, integer], minItems: 1 },
    fitting: [['a'], ['a', 1], ['a', 1, true]],
    refused: [[], [1], ['a', 'b']],
    untyped: [[], [1], ['a', 'b']],
  },
  {
    keyword: 'prefixItems',
    schema: { type: 'array', prefixItems: [text, { type: ['integer', 'null'] }], items: { type: 'boolean' } },
    fitting: [[], ['a', null], ['a', 1, true, false]],
    refused: [
      ['a', 1, 1],
      ['a', true],
    ],
    untyped: [
      ['a', 1, 1],
      ['a', true],
    ],
  },
  {
    keyword: 'prefixItems',
    schema: { type: 'array', prefixItems: [text], items: false },
    fitting: [[], ['a']],
    refused: [['a', 'b']],
    untyped: [['a', 'b']],
  },
  {
    keyword: 'contains',
    schema: { type: 'array', contains: { const: 1 } },
    fitting: [[1], [2, 1]],
    refused: [[], [2]],
  },
  {
    keyword: 'minContains',
    schema: { type: 'array', items: integer, contains: { minimum: 5 }, minContains: 2 },
    fitting: [[5, 1, 6]],
    refused: [[5], [], [1, 2]],
  },
  {
    keyword: 'minContains',
    schema: { type: 'array', items: integer, contains: { minimum: 5 }, minContains: 0 },
    fitting: [[], [1]],
    refused: [['a']],
  },
  {
    keyword: 'maxContains',
    schema: { type: 'array', items: integer, contains: { minimum: 5 }, maxContains: 1 },
    fitting: [[5, 1]],
    refused: [[5, 6], [1]],
  },
  {
    keyword: 'unevaluatedItems',
    schema: {
      type: 'array',
      prefixItems: [text],
      anyOf: [{ prefixItems: [true, { const: 1 }] }, { prefixItems: [true, true, { const: 2 }] }],
      unevaluatedItems: false,
    },
    fitting: [['a', 1], ['a'], ['a', 3, 2], ['a', 1, 2]],
    refused: [
      ['a', 1, 3],
      ['a', 3, 2, 4],
    ],
  },
  {
    keyword: 'unevaluatedItems',
    schema: { type: 'array', contains: { type: 'string' }, unevaluatedItems: integer },
    fitting: [['a'], ['a', 1], [1, 'a', 2]],
    refused: [[1], ['a', true]],
  },
  {
    keyword: 'patternProperties',
    schema: {
      type: 'object',
      properties: { 'x-a': { maxLength: 2 }, b: integer },
      patternProperties: { '^x-': text, '-y$': { minLength: 2 } },
      additionalProperties: false,
    },
    fitting: [{}, { 'x-a': 'ab', b: 1 }, { 'x-b': 'abc' }, { 'x-y': 'ab' }],
    refused: [{ 'x-b': 1 }, { 'x-a': 'abc' }, { c: 1 }, { 'x-y': 'a' }, { 'x-a': 1 }],
  },
  {
    keyword: 'patternProperties',
    schema: { type: 'object', patternProperties: { '^x-': text }, additionalProperties: integer },
    fitting: [{}, { 'x-a': 'a', b: 1 }],
    refused: [{ 'x-a': 1 }, { b: 'a' }],
  },
  {
    keyword: 'patternProperties',
    schema: { type: 'object', patternProperties: { '^x-': text }, additionalProperties: false },
    fitting: [{}, { 'x-a': 'a' }],
    refused: [{ 'x-a': 1 }, { b: 'a' }],
    untyped: [{ 'x-a': 1 }],
  },
  {
    keyword: 'propertyNames',
    schema: { type: 'object', propertyNames: { pattern: '^[a-z]+$' } },
    fitting: [{}, { a: 1 }],
    refused: [{ A: 1 }, { '': 1 }],
  },
  {
    keyword: 'dependentRequired',
    schema: { type: 'object', dependentRequired: { card: ['address', 'name'] } },
    fitting: [{}, { address: 1 }, { card: 1, address: 2, name: 3 }],
    refused: [{ card: 1 }, { card: 1, name: 2 }],
  },
  {
    keyword: 'dependentSchemas',
    schema: { type: 'object', dependentSchemas: { card: { required: ['name'], properties: { name: text } } } },
    fitting: [{}, { name: 1 }, { card: 1, name: 'a' }],
    refused: [{ card: 1 }, { card: 1, name: 1 }],
  },
  {
    keyword: 'unevaluatedProperties',
    schema: {
      allOf: [{ type: 'object', properties: { a: text } }],
      oneOf: [
        { required: ['b'], properties: { b: integer } },
        { required: ['c'], properties: { c: integer } },
      ],
      dependentSchemas: { d: { properties: { d: {}, e: {} } } },
      patternProperties: { '^x-': {} },
      if: { properties: { a: { const: 'f' } }, required: ['a'] },
      then: { properties: { f: true } },
      else: { properties: { g: true } },
      unevaluatedProperties: false,
    },
    fitting: [{ b: 1 }, { a: 'a', c: 1, g: 1 }, { b: 1, d: 1, e: 1, 'x-y': 1 }, { a: 'f', b: 1, f: 1 }],
    refused: [
      { b: 1, h: 1 },
      { b: 1, e: 1 },
      { b: 1, f: 1 },
      { a: 'f', b: 1, g: 1 },
      { b: 1, c: 1 },
    ],
  },
  {
    keyword: 'unevaluatedProperties',
    schema: { allOf: [{ type: 'object', properties: { a: text } }], unevaluatedProperties: integer },
    fitting: [{ a: 'a' }],
    further: [{ a: 'a', b: 1 }],
    refused: [{ a: 'a', b: 'b' }],
  },
  {
    keyword: 'if',
    schema: {
      type: 'object',
      properties: { kind: { type: 'string' } },
      required: ['kind'],
      if: { properties: { kind: { const: 'a' } } },
      then: { required: ['a'], properties: { a: text } },
      else: { required: ['b'], properties: { b: integer } },
    },
    fitting: [
      { kind: 'a', a: 'a' },
      { kind: 'b', b: 1 },
    ],
    refused: [{ kind: 'a', b: 1 }, { kind: 'b', a: 'a' }, { kind: 'b' }, {}],
    untyped: [{ kind: 'b', a: 'a' }, { kind: 'b' }, {}],
  },
  {
    keyword: 'then',
    schema: { ...integer, if: { minimum: 9 }, then: { multipleOf: 2 } },
    fitting: [1, 10],
    refused: [11],
  },
  {
    keyword: 'else',
    schema: { ...integer, if: { minimum: 9 }, else: { multipleOf: 2 } },
    fitting: [8, 11],
    refused: [7],
  },
  {
    keyword: '$ref',
    schema: { $defs: { Short: { ...text, maxLength: 3 } }, $ref: '#/$defs/Short', minLength: 2 },
    fitting: ['ab', 'abc'],
    refused: ['a', 'abcd', 1],
    untyped: [1],
  },
  {
    keyword: '$defs',
    schema: { type: 'object', $defs: { N: integer }, properties: { n: { $ref: '#/$defs/N' } } },
    fitting: [{ n: 1 }],
    refused: [{ n: 'a' }],
    untyped: [{ n: 'a' }],
  },
  {
    keyword: '$anchor',
    schema: { type: 'object', $defs: { N: { ...integer, $anchor: 'n' } }, properties: { n: { $ref: '#n' } } },
    fitting: [{ n: 1 }],
    refused: [{ n: 'a' }],
    untyped: [{ n: 'a' }],
  },
  {
    keyword: '$ref',
    schema: { type: 'object', properties: { next: { $ref: '#' }, n: integer }, unevaluatedProperties: false },
    fitting: [{ next: { next: {}, n: 1 } }],
    refused: [{ next: { m: 1 } }, { next: { next: { n: 'a' } } }],
    untyped: [{ next: { next: { n: 'a' } } }],
  },
]
