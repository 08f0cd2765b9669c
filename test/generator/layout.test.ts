import fc from 'fast-check'
import { format } from 'prettier'
import { describe, expect, test } from 'vitest'
import prettierOptions from '../../.prettierrc.json' with { type: 'json' }
import { Hoisted } from '../../generator/emit/hoisted.ts'
import { docComment } from '../../generator/emit/layout/comment.ts'
import { type Doc, group, ifBroken, indent, join, line, print } from '../../generator/emit/layout/doc.ts'
import {
  type Type,
  aliased,
  annotated,
  arrayOf,
  generic,
  intersectionOf,
  layout,
  objectOf,
  unionOf,
} from '../../generator/emit/layout/type.ts'
import {
  array,
  call,
  conditional,
  key,
  literal,
  object,
  objectType,
  property,
  quote,
  signature,
} from '../../generator/emit/layout/typescript.ts'

const pretty = (text: string): Promise<string> =>
  format(text, { ...prettierOptions, arrowParens: 'avoid', trailingComma: 'all', parser: 'typescript' })

/** Checks that prettier leaves the output unchanged. */
async function expectPretty(text: string): Promise<void> {
  expect(text).toBe(await pretty(text))
}

const names = fc
  .tuple(
    fc.constantFrom('check', 'vm', 'a', 'quotaOverride', 'größe', '長さ'),
    fc.stringMatching(/^[A-Za-z0-9]{0,30}$/),
  )
  .map(([head, tail]) => head + tail)
const references = names.map(name => `${name[0]?.toUpperCase()}${name.slice(1)}`)
const types = fc.oneof(fc.constantFrom('string', 'number', 'boolean', 'unknown'), references)
const texts = fc.oneof(
  { weight: 3, arbitrary: fc.string({ maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  { weight: 1, arbitrary: fc.string({ minLength: 60, maxLength: 140 }) },
)

const { type: someTypes } = fc.letrec<{ type: Type; compound: Type }>(tie => ({
  type: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    types,
    texts.map(quote),
    fc.constant('null'),
    tie('compound'),
  ),
  compound: fc.oneof(
    fc.array(tie('type'), { minLength: 1, maxLength: 4 }).map(unionOf),
    fc.array(tie('type'), { minLength: 1, maxLength: 4 }).map(intersectionOf),
    tie('type').map(arrayOf),
    fc
      .tuple(references, fc.array(tie('type'), { minLength: 1, maxLength: 3 }))
      .map(([name, args]) => generic(name, ...args)),
    fc
      .dictionary(fc.oneof(names, texts), tie('type'), { minKeys: 1, maxKeys: 4 })
      .map(members => objectOf(Object.entries(members).map(([name, type]) => annotated(`${key(name)}:`, type)))),
  ),
}))

const runs = 300
const law = async (arbitrary: fc.Arbitrary<Doc>, around: (doc: Doc) => string): Promise<void> =>
  fc.assert(
    fc.asyncProperty(arbitrary, doc => expectPretty(around(doc))),
    { numRuns: runs, seed: 20_261 },
  )

describe('the printed code equals the output of prettier', () => {
  test('string literals', async () => {
    await law(texts.map(quote), doc => (`f(${print(doc)})\n`.length > 110 ? '' : `f(${print(doc)})\n`))
  })

  test('JSON values as constants', async () => {
    const json = fc.jsonValue({ maxDepth: 4, stringUnit: 'grapheme' }).map(value => literal([value]))
    await law(json, doc => `${print(['const value = ', doc])}\n`)
  })

  test('calls', async () => {
    const argument = fc.oneof(names, texts.map(quote), fc.integer().map(String))
    const calls = fc
      .tuple(names, fc.array(argument, { maxLength: 6 }))
      .map(([callee, args]) => call(callee, [...args, 'end']))
    await law(calls, doc => `function check() {\n  ${print(doc, 2)}\n}\n`)
  })

  test('conditions', async () => {
    const calls = fc.tuple(names, fc.array(names, { maxLength: 5 })).map(([callee, args]) => call(callee, args))
    const statements = fc
      .tuple(fc.array(calls, { minLength: 1, maxLength: 4 }), calls)
      .map(([conditions, statement]) => conditional(conditions, statement))
    await law(statements, doc => `function check() {\n  ${print(doc, 2)}\n}\n`)
  })

  test('objects and arrays', async () => {
    const { tree } = fc.letrec<{ tree: Doc; object: Doc; array: Doc }>(tie => ({
      tree: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        names,
        texts.map(quote),
        tie('array'),
        tie('object'),
      ),
      array: fc.array(names, { maxLength: 6 }).map(items => array(items)),
      object: fc
        .dictionary(fc.oneof(names, texts), tie('tree'), { maxKeys: 5 })
        .map(members => object(Object.entries(members).map(([name, value]) => property(name, value)))),
    }))
    await law(tree, doc => `${print(['const value = ', array([doc])])}\n`)
  })

  test('object types', async () => {
    const { tree } = fc.letrec<{ tree: Doc; object: Doc }>(tie => ({
      tree: fc.oneof({ depthSize: 'small', withCrossShrink: true }, types, tie('object')),
      object: fc
        .dictionary(fc.oneof(names, texts), tie('tree'), { maxKeys: 5 })
        .map(members => objectType(Object.entries(members).map(([name, type]) => [key(name), ': ', type]))),
    }))
    await law(tree, doc => `interface Outer {\n  ${print(['inner: ', doc], 2)}\n}\n`)
  })

  test('types of members', async () => {
    const members = fc.tuple(names, someTypes).map(([name, type]) => annotated(`${name}?:`, type))
    await law(members, doc => `interface Outer {\n  ${print(doc, 2)}\n}\n`)
  })

  test('aliases', async () => {
    const aliases = fc.tuple(references, someTypes).map(([name, type]) => aliased(name, type))
    await law(aliases, doc => `${print(doc)}\n`)
  })

  test('types of results', async () => {
    const methods = fc
      .tuple(names, fc.array(fc.tuple(names, types), { minLength: 2, maxLength: 3 }), someTypes)
      .map(([name, parameters, type]) =>
        signature(
          name,
          parameters.map(([parameter, of]) => `${parameter}: ${of}`),
          layout(generic('Promise', type)),
        ),
      )
    await law(methods, doc => `interface Handlers {\n  ${print(doc, 2)}\n}\n`)
  })

  test('signatures', async () => {
    const signatures = fc
      .tuple(names, fc.array(fc.tuple(names, types), { maxLength: 4 }), types)
      .map(([name, parameters, result]) =>
        signature(
          name,
          parameters.map(([parameter, type]) => `${parameter}: ${type}`),
          ['Promise<', result, '>'],
        ),
      )
    await law(signatures, doc => `interface Handlers {\n  ${print(doc, 2)}\n}\n`)
  })

  test('imports', async () => {
    const imports = fc
      .array(names, { minLength: 1, maxLength: 12 })
      .map(list => group(['import {', indent([line, join([',', line], list)]), ifBroken(','), line, "} from './a'"]))
    await law(imports, doc => `${print(doc)}\n`)
  })

  test('sets of the values of a list but one', async () => {
    const values = fc.stringMatching(/^[A-Z_]{1,100}$/)
    const sets = fc.tuple(values, names, names).map(([value, list, name]) => {
      const hoisted = new Hoisted(wanted => wanted)
      hoisted.valuesWithout(value, list, name)
      return hoisted.code.toString()
    })
    await law(sets, String)
  })

  test('comments', async () => {
    await law(fc.oneof(texts, fc.lorem({ maxCount: 60 })), doc => `${docComment(String(doc))}const a = 1\n`)
  })
})
