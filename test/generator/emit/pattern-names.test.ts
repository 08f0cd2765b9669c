import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { generation, newFolder, removeFolder, runtimeFrom } from '../generation.ts'

let folder: string
beforeAll(() => void (folder = newFolder()))
afterAll(() => removeFolder(folder))

const text = (pattern: string) => ({ type: 'string', pattern })
const record = (properties: Readonly<Record<string, object>>) => ({ type: 'object', properties })
const map = (keyPattern: string, values: object = {}) => ({
  type: 'object',
  additionalProperties: { type: 'string', ...values },
  'x-key-pattern': keyPattern,
})

type Schemas = Readonly<Record<string, object>>

/** Generates a document with these schemas, and returns the source of validators.ts. */
async function validatorsOf(schemas: Schemas): Promise<string> {
  const document = { openapi: '3.0.3', info: { title: 'Things', version: '1' }, paths: {}, components: { schemas } }
  writeFileSync(join(folder, 'things.json'), JSON.stringify(document))
  const { files } = await generation(['things.json'], folder, runtimeFrom(join(folder, 'output')))
  return files.get('things/validators.ts') ?? ''
}

/**
 * Returns the constants of patterns in validators.ts of a document with these schemas: the patterns, keyed by the name
 * of the constant.
 */
async function patternsOf(schemas: Schemas): Promise<Readonly<Record<string, string>>> {
  const constants = (await validatorsOf(schemas)).matchAll(/^const (\w+Pattern\w*) = \/(.*)\/u$/gm)
  return Object.fromEntries([...constants].map(([, name = '', pattern = '']) => [name, pattern]))
}

test.each([
  ['a text', { Member: record({ sku: text('^a$') }), Sku: text('^a$') }, { skuPattern: '^a$' }],
  ['a map by its keys', { Member: record({ key: text('^a$') }), Labels: map('^a$') }, { labelsKeyPattern: '^a$' }],
  [
    'a text before a map',
    { Member: record({ key: text('^a$') }), Labels: map('^a$'), LabelKey: text('^a$') },
    { labelKeyPattern: '^a$', labelsKeyPattern: '^a$' },
  ],
  [
    'each of several texts',
    { First: text('^a$'), Member: record({ sku: text('^a$') }), Second: text('^a$') },
    { firstPattern: '^a$', secondPattern: '^a$' },
  ],
  [
    'a text that is spelt another way',
    { Member: record({ path: text('/') }), Path: text('\\/') },
    { pathPattern: '\\/' },
  ],
])('a pattern is named by the schema that declares it: %s', async (_, schemas, names) => {
  expect(await patternsOf(schemas)).toEqual(names)
})

test('a pattern that no named schema declares has the name of its first use', async () => {
  const schemas = {
    Member: record({ id: text('^a$'), tags: { type: 'array', items: text('^b$') } }),
    Other: record({ other_id: text('^a$') }),
    Notes: map('^c$', { pattern: '^b$' }),
  }
  expect(await patternsOf(schemas)).toEqual({
    memberIdPattern: '^a$',
    memberTagsItemPattern: '^b$',
    notesKeyPattern: '^c$',
  })
})

test('the pattern of a schema keeps its name against an earlier use with the same name', async () => {
  const schemas = { Member: record({ name: text('^a$') }), MemberName: text('^b$') }
  expect(await patternsOf(schemas)).toEqual({ memberNamePattern: '^b$', memberNamePatternB: '^a$' })
})

test('a member that refers to a named text is judged by the check of the text, which gets the field', async () => {
  const sku = { $ref: '#/components/schemas/Sku' }
  const schemas = { Member: record({ sku, skus: { type: 'array', items: sku } }), Sku: text('^a$') }
  const checks = await validatorsOf(schemas)
  expect(checks).toContain("checkSku(value.sku, faults, 'sku')")
  expect(checks).toContain("list(value.skus, 'skus', faults, checkSku)")
  expect(checks).toContain('return matches(value, field, faults, skuPattern)')
})
