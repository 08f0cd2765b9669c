import fc from 'fast-check'
import { format } from 'prettier'
import { describe, expect, test } from 'vitest'
import prettierOptions from '../../.prettierrc.json' with { type: 'json' }
import { layOut } from '../../generator/emit/layout/source/lay-out.ts'
import { quote } from '../../generator/emit/layout/typescript.ts'

const names = fc
  .tuple(fc.constantFrom('vm', 'quota', 'größe', '長さ'), fc.stringMatching(/^[A-Za-z0-9]{0,24}$/))
  .map(([head, tail]) => head + tail)
const typeNames = names.map(name => `T${name}`)
const literals = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 60 }).map(quote), fc.integer().map(String))

/**
 * Generates source as templates write it: names, literals, lists, objects and calls, nested, on one line or on several.
 */
const { value } = fc.letrec<{ value: string; object: string; list: string; call: string }>(tie => ({
  value: fc.oneof({ depthSize: 'small' }, names, literals, tie('list'), tie('object'), tie('call')),
  object: fc.tuple(fc.constantFrom(' ', '\n'), fc.dictionary(names, tie('value'), { maxKeys: 4 })).map(
    ([space, members]) =>
      `{${space}${Object.entries(members)
        .map(([name, of]) => `${name}: ${of}`)
        .join(', ')} }`,
  ),
  list: fc.array(tie('value'), { maxLength: 4 }).map(items => `[${items.map(item => `${item}, `).join('')}]`),
  call: fc
    .tuple(names, fc.array(fc.oneof(names, literals), { maxLength: 4 }))
    .map(([of, args]) => `${of}(${args.join(', ')})`),
}))

const { type } = fc.letrec<{ type: string; union: string; object: string; generic: string; list: string }>(tie => ({
  type: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('string', 'unknown', 'null'),
    typeNames,
    tie('union'),
    tie('object'),
    tie('generic'),
    tie('list'),
  ),
  union: fc.uniqueArray(typeNames, { minLength: 2, maxLength: 5 }).map(of => `(${of.join(' | ')})[]`),
  object: fc.dictionary(names, tie('type'), { minKeys: 1, maxKeys: 3 }).map(
    members =>
      `{ ${Object.entries(members)
        .map(([name, of]) => `readonly ${name}?: ${of}`)
        .join('; ')} }`,
  ),
  generic: fc
    .tuple(typeNames, fc.array(tie('type'), { minLength: 1, maxLength: 3 }))
    .map(([of, args]) => `${of}<${args.join(', ')}>`),
  list: typeNames.map(of => `${of}[]`),
}))

const law = async (code: fc.Arbitrary<string>): Promise<void> =>
  fc.assert(
    fc.asyncProperty(code, async text => {
      expect(layOut(text)).toBe(
        await format(text, { ...prettierOptions, trailingComma: 'all', arrowParens: 'avoid', parser: 'typescript' }),
      )
    }),
    { numRuns: 400, seed: 20_262 },
  )

describe('code of templates is formatted as prettier would', () => {
  test('constants', async () => {
    await law(fc.tuple(names, value).map(([name, of]) => `export const ${name} = ${of}`))
  })

  test('constants of a type', async () => {
    await law(
      fc
        .tuple(names, typeNames, typeNames, value)
        .map(([name, of, arg, item]) => `export const ${name}: ${of}<${arg}> = [ ${item} ]`),
    )
  })

  test('texts as constants for types', async () => {
    await law(fc.tuple(names, value).map(([name, of]) => `export const ${name} = [ ${of} ] as const`))
  })

  test('functions', async () => {
    const parameters = fc.array(fc.tuple(names, type), { minLength: 2, maxLength: 3 })
    const called = fc.array(names, { minLength: 1, maxLength: 4 })
    await law(
      fc.tuple(names, parameters, called).map(([name, of, args]) => {
        const list = of.map(([parameter, typed]) => `${parameter}: ${typed}`)
        return `export const ${name} = (${list.join(', ')}) => new Made({ reason: 'a' }, ${args.join(', ')})`
      }),
    )
  })

  test('functions that make objects', async () => {
    const members = fc.uniqueArray(names, { minLength: 1, maxLength: 6 })
    await law(
      fc.tuple(names, members, fc.constantFrom(' ', '\n')).map(([name, of, space]) => {
        const list = of.slice(0, 3).map(member => `${member}: A`)
        return `const ${name} = <A extends string>(${list.join(', ')}) => ({${space}${of.join(', ')} })`
      }),
    )
  })

  test('calls whose last argument is an object', async () => {
    const argument = fc.tuple(names, names).map(([a, b]) => `(request, context) => ${a}.${b}(request, context)`)
    await law(
      fc
        .tuple(names, names, argument, value, fc.constantFrom(' ', '\n'))
        .map(([name, of, handler, item, space]) => `export const ${name} = [${of}(${handler}, {${space}a: ${item} })]`),
    )
  })

  test('interfaces and aliases', async () => {
    const members = fc.dictionary(names, type, { minKeys: 1, maxKeys: 4 })
    await law(
      fc
        .tuple(typeNames, members, fc.uniqueArray(typeNames, { minLength: 2, maxLength: 6 }))
        .map(([name, of, union]) => {
          const rows = Object.entries(of).map(([member, typed]) => `readonly ${member}: ${typed}`)
          return `export interface ${name} {\n${rows.join('\n')}\n}\n\nexport type ${name}Union = ${union.join(' | ')}`
        }),
    )
  })

  test('classes', async () => {
    await law(
      fc.tuple(typeNames, names, typeNames, type, fc.array(names, { minLength: 1, maxLength: 4 })).map(
        ([name, method, request, result, args]) => `export class ${name} {
          readonly #transport: Transport
          #client: ${request} | undefined

          constructor(transport: Transport) { this.#transport = transport }

          /** Says what it does.
           * Twice. */
          ${method}(request: ${request} = {}, options?: CallOptions): Promise<${result}> {
            return send(this.#transport, ${args.join(', ')})
          }

          get ${method}s(): ${request} { return (this.#client ??= new ${request}(this.#transport)) }
        }`,
      ),
    )
  })
})

test.each([
  'function a() {}',
  'export const a = 1 + 2',
  'export const a = `x',
  "export const a = 'x",
  'export type A =',
  '',
])('code that templates do not make is refused or ignored: %j', code => {
  if (code === '') expect(layOut(code)).toBe('')
  else expect(() => layOut(code)).toThrow('a template made code that cannot be laid out')
})
