import { describe, expect, test } from 'vitest'
import { breaksOf } from '../../../generator/conform/breaks.ts'
import { Examples } from '../../../generator/conform/example.ts'
import { fieldOf } from '../../../generator/conform/field.ts'
import { faultsOf } from '../../../generator/conform/judge.ts'
import type { NamedSchema, Schema } from '../../../generator/model/types.ts'

const position = { file: 'a.yaml', line: 1, column: 1 }

type Written = Schema extends infer Each ? (Each extends Schema ? Omit<Each, 'position'> : never) : never

const schema = (written: Written): Schema => ({ ...written, position })

const property = (name: string, written: Written, required = false) =>
  ({ name, schema: schema(written), required, access: 'both', immutable: false }) as const

const named = (name: string, written: Written): NamedSchema => ({
  id: `a.${name}`,
  name,
  source: undefined,
  document: 'a',
  schema: schema(written),
  views: { output: name, input: name, update: name },
  parsedName: name,
  isAnswered: true,
  isSent: true,
  hasDefaults: false,
  isRecursive: false,
  resource: undefined,
  position,
})

const cat = { kind: 'object', properties: [property('meow', { kind: 'boolean' }, true)], additional: false } as const
const dog = {
  kind: 'object',
  properties: [property('bark', { kind: 'string', minLength: 1 }, true)],
  additional: 'open',
} as const
const tree = {
  kind: 'object',
  properties: [property('children', { kind: 'array', items: schema({ kind: 'ref', target: 'a.Tree' }) })],
  additional: false,
} as const

const schemas = new Map([named('Cat', cat), named('Dog', dog), named('Tree', tree)].map(each => [each.id, each]))

const pet = {
  kind: 'union',
  of: [schema({ kind: 'ref', target: 'a.Cat' }), schema({ kind: 'ref', target: 'a.Dog' })],
  exactlyOne: true,
} as const

const cases: readonly (readonly [name: string, schema: Written, whats: readonly string[]])[] = [
  ['any text', { kind: 'string' }, ['null', 'a number instead of text']],
  ['text that may be null', { kind: 'string', nullable: true }, ['a number instead of text']],
  ['text of a length', { kind: 'string', minLength: 2, maxLength: 3 }, ['shorter than 2 characters', 'longer than 3 characters']],
  ['text of a pattern', { kind: 'string', pattern: '^[a-c]+$' }, ['not matching ^[a-c]+$']],
  ['text of a pattern that takes all', { kind: 'string', pattern: '' }, []],
  ['a UUID of version 7', { kind: 'string', format: 'uuid', pattern: '^.{14}7' }, ['not matching ^.{14}7', 'no uuid']],
  ['every format', { kind: 'object', additional: false, properties: formats() }, ['no ipv6', 'no byte', 'no email']],
  ['a number between bounds', { kind: 'number', integer: false, minimum: 0, maximum: 1 }, ['below 0', 'above 1']],
  ['an open interval', { kind: 'number', integer: false, minimum: 0, exclusiveMinimum: true }, ['not above 0']],
  ['a multiple', { kind: 'number', integer: true, multipleOf: 5, minimum: 7 }, ['no multiple of 5', 'below 7']],
  ['a tenth', { kind: 'number', integer: false, multipleOf: 0.1 }, ['no multiple of 0.1']],
  ['a 32-bit integer', { kind: 'number', integer: true, format: 'int32' }, ['below -2147483648', 'above 2147483647', 'no integer']],
  ['a bound that doubles cannot pass by 1', { kind: 'number', integer: true, maximum: 2 ** 63 }, [`above ${2 ** 63}`]],
  ['an enum', { kind: 'enum', values: ['NONE', 'A'], unspecified: 'NONE' }, ['a value the enum lacks', 'the value that stands for none']],
  ['an enum of numbers', { kind: 'enum', values: [1, 2] }, ['a value the enum lacks']],
  ['a list', { kind: 'array', items: schema({ kind: 'boolean' }), minItems: 2, maxItems: 3 }, ['fewer than 2 items', 'more than 3 items']],
  ['a set', { kind: 'array', items: schema({ kind: 'string' }), uniqueItems: true, maxItems: 3 }, ['a repeated item', 'more than 3 items']],
  ['a map', { kind: 'object', properties: [], additional: schema({ kind: 'string' }), keyPattern: '^[a-z]+$', minProperties: 1, maxProperties: 2 }, ['a name that does not match ^[a-z]+$', 'fewer than 1 members', 'more than 2 members']],
  ['a closed object', cat, ['missing', 'a member that is not declared', 'text instead of true or false']],
  ['forms', pet, ['a value that fits none of its forms']],
  ['forms with a tag', { ...pet, discriminator: { property: 'kind', mapping: [['dog', 'a.Dog']] } }, ['a form that does not exist', 'missing (dog)', 'shorter than 1 characters (dog)']],
  ['an intersection', { kind: 'intersection', of: [schema({ kind: 'ref', target: 'a.Dog' }), schema({ kind: 'object', properties: [property('size', { kind: 'number', integer: true }, true)], additional: 'open' })] }, ['missing', 'text instead of a number']],
  ['a schema that contains itself', { kind: 'ref', target: 'a.Tree' }, ['text instead of a list']],
  ['members with names of their own', { kind: 'object', properties: [property('__proto__', { kind: 'string' }, true), property('constructor', { kind: 'string' }, true)], additional: false }, ['missing']],
  ['a type that is only implied', { kind: 'string', implied: true, maxLength: 1 }, ['longer than 1 characters']],
] // prettier-ignore

function formats() {
  const names = ['date-time', 'date', 'uuid', 'email', 'byte', 'uri', 'hostname', 'ipv4', 'ipv6', 'password']
  return names.map(format => property(format, { kind: 'string', format }, true))
}

describe('an example keeps every constraint, and each of its broken forms violates one constraint, at its field', () => {
  test.each(cases)('%s', (_name, written, whats) => {
    const examples = new Examples(schemas)
    const value = examples.of(schema(written), 'input', '')
    expect([...examples.missing]).toEqual([])
    if (value === undefined) throw new Error('no example')
    expect(faultsOf(value, schema(written), { schemas, view: 'input' })).toEqual([])
    const broken = [...breaksOf(schema(written), 'input', value, examples)]
    expect(broken.map(({ what }) => what)).toEqual(expect.arrayContaining([...whats]))
    for (const { path, value, what } of broken) {
      const fields = faultsOf(value, schema(written), { schemas, view: 'input' }).map(({ field }) => field)
      // `faultsOf` reports a repeated item at the list.
      const at = what === 'a repeated item' ? path.slice(0, -1) : path
      expect([what, fields]).toEqual([what, expect.arrayContaining([fieldOf(at)])])
    }
  })
})

test('a schema without an example is noted', () => {
  const examples = new Examples(schemas)
  const written = {
    kind: 'object',
    properties: [property('code', { kind: 'string', pattern: '^(a)\\1$' }, true)],
    additional: false,
  } as const
  expect(examples.of(schema(written), 'input', '')).toBeUndefined()
  expect([...examples.missing]).toEqual(['code: no text is known for the pattern ^(a)\\1$'])
})

test('a list of different items that may contain all values cannot be overfilled', () => {
  const examples = new Examples(schemas)
  const items = schema({ kind: 'enum', values: ['NONE', 'READ', 'WRITE'], unspecified: 'NONE' })
  const written = { kind: 'array', items, maxItems: 2, uniqueItems: true } as const
  const whats = [...breaksOf(schema(written), 'input', ['READ'], examples)].map(({ what }) => what)
  expect(whats).not.toContain('more than 2 items')
  expect([...examples.missing]).toEqual([])
})

test('an update is broken only in its sent members, and its required members are distinguished', () => {
  const written = {
    kind: 'object',
    properties: [property('size', { kind: 'number', integer: true }, true)],
    additional: false,
  } as const
  const broken = [...breaksOf(schema(written), 'update', { size: 1 }, new Examples(schemas))]
  expect(broken.filter(({ path }) => path.length > 0).map(({ kind, what }) => `${kind} ${what}`)).toEqual([
    'reset missing',
    'null null',
    'type text instead of a number',
    'value no integer',
    'unknown a member that is not declared',
  ])
})
