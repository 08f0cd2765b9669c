import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { describe, expect, test } from 'vitest'
import { honouredKeywords, honouredStyles, honouredTables } from '../../../generator/honoured.ts'
import { honouredEncodings } from '../../../generator/model/encoding.ts'
import { membersOf } from '../../../generator/read/kinds.ts'
import type { Dialect } from '../../../generator/read/types.ts'
import { repository } from '../generation.ts'
import { generatedFrom } from '../hostile/refused.ts'
import { newerCases, olderCases, sharedCases } from './cases.ts'

const dialects: readonly Dialect[] = ['3.0', '3.1']

/** Returns the versions of OpenAPI whose schemas have a keyword. Both have `$ref`. */
const versionsOf = (keyword: string): readonly Dialect[] =>
  dialects.filter(dialect => keyword === '$ref' || Object.hasOwn(membersOf('schema', dialect), keyword))

const keywords = Object.entries(honouredKeywords)

describe('the table of keywords', () => {
  test('has the keywords that the reader knows, sorted', () => {
    const known = dialects.flatMap(dialect => Object.keys(membersOf('schema', dialect)))
    const expected = new Set(['$ref', ...known.filter(name => !name.startsWith('x-'))])
    expect(Object.keys(honouredKeywords)).toEqual([...expected].sort())
  })

  /** The keywords whose effects other tests prove: on the types of requests and answers, on forms, and on references. */
  const elsewhere = new Set(['contentMediaType', 'discriminator', 'readOnly', 'writeOnly'])

  test('names a keyword as enforced only if cases prove it', () => {
    const proved = new Set([...sharedCases, ...olderCases, ...newerCases].map(({ keyword }) => keyword))
    const enforced = keywords.filter(([, honoured]) => honoured.includes('validators')).map(([name]) => name)
    expect(enforced.filter(name => !proved.has(name) && !elsewhere.has(name))).toEqual([])
  })

  test('names a keyword as typed only if a case has values that TypeScript refuses', () => {
    const typed = new Set(
      [...sharedCases, ...olderCases, ...newerCases].flatMap(({ keyword, schema, untyped }) =>
        untyped ? [keyword, ...Object.keys(schema)] : [],
      ),
    )
    const named = keywords.filter(([, honoured]) => honoured.includes('types')).map(([name]) => name)
    expect(named.filter(name => !typed.has(name) && !elsewhere.has(name) && name !== 'default')).toEqual([])
  })

  const written = keywords.flatMap(([name, honoured]) =>
    versionsOf(name).map(dialect => [name, dialect, honoured === 'reported'] as const),
  )

  test.each(written)('says truly whether %s of %s is reported as lost', async (name, dialect, isReported) => {
    if (isReported) {
      const text = JSON.stringify({
        openapi: `${dialect}.0`,
        info: { title: 'a', version: '1' },
        paths: {},
        components: { schemas: { A: { type: 'string', [name]: 'a' } } },
      })
      const { printed } = await generatedFrom({ 'a.json': text })
      expect(printed).toContainEqual(expect.stringMatching(/^a\.json:1:\d+ warning not-honoured: /))
      expect(printed.join('\n')).toContain(`"${name}"`)
    }
    expect(membersOf('schema', dialect)[name]?.lost === true).toBe(isReported)
  })
})

test.each(Object.entries(honouredStyles))('the style %s is reported if the table says so', async (style, honoured) => {
  const place = style === 'form' || style.endsWith('Delimited') || style === 'deepObject' ? 'query' : 'path'
  const parameter = { name: 'a', in: place, required: true, style, schema: { type: 'string' } }
  const get = { parameters: [parameter], responses: { 204: { description: 'none' } } }
  const paths = { [place === 'path' ? '/{a}' : '/']: { get } }
  const text = JSON.stringify({ openapi: '3.0.0', info: { title: 'a', version: '1' }, paths })
  const { printed } = await generatedFrom({ 'a.json': text })
  expect(printed.some(line => line.includes('style-unsupported'))).toBe(honoured === 'reported')
})

const encodings = Object.entries(honouredEncodings).flatMap(([keyword, forms]: [string, readonly string[]]) =>
  dialects.flatMap(dialect =>
    (['form', 'multipart'] as const).map(form => [keyword, form, dialect, !forms.includes(form)] as const),
  ),
)

test.each(encodings)(
  '%s of the encoding of a %s in %s is reported: %3$s',
  async (keyword, form, dialect, isReported) => {
    const value = { contentType: 'text/plain', style: 'form', explode: true, allowReserved: true, headers: {} }
    const type = form === 'form' ? 'application/x-www-form-urlencoded' : 'multipart/form-data'
    const media = {
      schema: { type: 'object', properties: { a: { type: 'string' } } },
      encoding: { a: Object.fromEntries(Object.entries(value).filter(([name]) => name === keyword)) },
    }
    const post = { requestBody: { content: { [type]: media } }, responses: { 204: { description: 'none' } } }
    const text = JSON.stringify({
      openapi: `${dialect}.0`,
      info: { title: 'a', version: '1' },
      paths: { '/': { post } },
    })
    const { printed } = await generatedFrom({ 'a.json': text })
    const found = printed.filter(line => / warning (?:not-honoured|encoding-keyword): /.test(line))
    expect(found).toEqual(isReported ? [expect.stringContaining(`"${keyword}"`)] : [])
  },
)

test('docs/generator.md has the tables', async () => {
  const path = join(repository, 'docs/generator.md')
  const text = readFileSync(path, 'utf8')
  const [begin, end] = ['<!-- honoured: made from generator/honoured.ts -->', '<!-- /honoured -->']
  const [before = '', rest = ''] = text.split(begin)
  const [, after = ''] = rest.split(end)
  const tables = honouredTables(keyword => versionsOf(keyword).join(', '))
  const options = { ...(await resolveConfig(path)), parser: 'markdown' }
  const expected = await format(`${before}${begin}\n\n${tables}\n\n${end}${after}`, options)
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(path, expected)
  else expect(text).toBe(expected)
})
