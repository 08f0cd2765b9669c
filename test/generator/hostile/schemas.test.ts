import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { format, resolveConfig } from 'prettier'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { generation, newFolder, removeFolder, repository, runtimeFrom, writeFiles } from '../generation.ts'
import { typeCheck } from '../type-check.ts'

const named = ['Quota', 'OrganisationQuotaOverride', 'Kind', 'labels', 'A'] as const
const members = fc.constantFrom('id', 'a', 'display_name', 'font-size', 'constructor', 'nameOfMember')
const reference = fc.constantFrom(...named).map(name => ({ $ref: `#/components/schemas/${name}` }))

const traits = fc.record(
  {
    nullable: fc.constant(true),
    deprecated: fc.constant(true),
    readOnly: fc.constant(true),
    description: fc.lorem({ maxCount: 30 }),
  },
  { requiredKeys: [] },
)
const text = fc.record({ type: fc.constant('string') }, { requiredKeys: ['type'] }).chain(base =>
  fc.oneof(
    fc.constant(base),
    fc.constant({
      ...base,
      default: 'a default of some words that goes on and on, for a description, say, of many words indeed',
    }),
    fc.constant({ ...base, format: 'date-time', minLength: 1 }),
    fc.constant({ ...base, pattern: '^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$', maxLength: 63 }),
    fc.constant({
      ...base,
      enum: ['FIRST_VALUE_OF_THIS_ENUM', 'SECOND_VALUE_OF_THIS_ENUM', 'THIRD', 'FOURTH_VALUE_OF_IT'],
    }),
  ),
)
const number = fc.constantFrom<object>(
  { type: 'integer', minimum: 0, default: 20 },
  { type: 'number', maximum: 1e21, exclusiveMaximum: true, multipleOf: 0.01 },
  { type: 'integer', format: 'int32' },
  { type: 'integer', enum: Array.from({ length: 60 }, (_, i) => i * 37) },
  { type: 'boolean', default: false },
)

const { schema } = fc.letrec<{
  schema: object
  plain: object
  list: object
  object: object
  map: object
  all: object
  some: object
}>(tie => ({
  schema: fc
    .tuple(
      fc.oneof(
        { depthSize: 'small' },
        reference,
        tie('plain'),
        tie('list'),
        tie('object'),
        tie('map'),
        tie('all'),
        tie('some'),
      ),
      traits,
    )
    .map(([of, more]) => ('$ref' in of ? of : { ...of, ...more })),
  plain: fc.oneof(text, number),
  list: fc
    .tuple(tie('schema'), fc.boolean())
    .map(([items, uniqueItems]) => ({ type: 'array', items, uniqueItems, minItems: 1 })),
  object: fc
    .tuple(
      fc.dictionary(members, tie('schema'), { minKeys: 1, maxKeys: 4 }),
      fc.constantFrom(undefined, false, true),
      fc.boolean(),
    )
    .map(([properties, additionalProperties, requires]) => ({
      type: 'object',
      properties,
      ...(additionalProperties === undefined ? {} : { additionalProperties }),
      ...(requires ? { required: Object.keys(properties) } : {}),
    })),
  map: tie('schema').map(additionalProperties => ({ type: 'object', additionalProperties })),
  all: fc.tuple(tie('object'), tie('schema')).map(([base, own]) => ({
    allOf: [
      { ...base, additionalProperties: true },
      { type: 'object', properties: { own } },
    ],
  })),
  some: fc.array(tie('schema'), { minLength: 2, maxLength: 3 }).map(anyOf => ({ anyOf })),
}))

const documents = fc
  .tuple(
    fc.record(Object.fromEntries(named.map(name => [name, name === 'Kind' ? text : schema]))),
    schema,
    schema,
    fc.boolean(),
  )
  .map(([schemas, sent, answered, required]) => ({
    openapi: '3.0.3',
    info: { title: 'Made', version: '1' },
    paths: {
      '/things/{id}': {
        post: {
          operationId: 'addThing',
          parameters: [
            { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
            { name: 'filter', in: 'query', schema: { type: 'string', default: 'a' } },
          ],
          requestBody: { required, content: { 'application/json': { schema: sent } } },
          responses: { '200': { description: 'Done.', content: { 'application/json': { schema: answered } } } },
        },
      },
    },
    components: { schemas },
  }))

let root: string
beforeAll(() => void (root = newFolder()))
afterAll(() => removeFolder(root))

test('for any schemas, a document is refused, or its output type-checks and is formatted as prettier would', async () => {
  const layout = { ...(await resolveConfig(join(repository, 'package.json'))), filepath: 'output.ts' }
  let count = 0
  await fc.assert(
    fc.asyncProperty(documents, async document => {
      count += 1
      writeFileSync(join(root, 'api.json'), JSON.stringify(document))
      const out = join(root, `out${count}`)
      const { files } = await generation(['api.json'], root, runtimeFrom(out))
      writeFiles(out, files)
      for (const code of files.values()) expect(code).toBe(await format(code, layout))
    }),
    { numRuns: 60, seed: 20_261 },
  )
  const config = {
    extends: join(repository, 'tsconfig.json'),
    compilerOptions: { types: [] },
    include: ['out*/**/*.ts'],
    exclude: [],
  }
  writeFileSync(join(root, 'tsconfig.json'), JSON.stringify(config))
  writeFileSync(join(root, 'package.json'), '{"type":"module"}')
  expect(typeCheck(root)).toBe('')
}, 120_000)
