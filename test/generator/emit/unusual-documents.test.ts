import { describe, expect, it } from 'vitest'
import { organisationFields } from '../../../output/taxonomy/validators.ts'
import { checkMask } from '../../../runtime/field-mask.ts'
import { Faults } from '../../../runtime/validation.ts'
import { answerChecks } from '../../answer-check.ts'
import { generation, newFolder, plainOptions, removeFolder, writeFiles } from '../generation.ts'
import { document } from '../reading.ts'

const answer = "{ '200': { description: d, content: { application/json: { schema: { type: string } } } } }"

async function generated(name: string, text: string) {
  const folder = newFolder()
  try {
    writeFiles(folder, new Map([[name, document(text)]]))
    return await generation([name], folder, plainOptions)
  } finally {
    removeFolder(folder)
  }
}

describe('the output', () => {
  it.each(['new', 'static', 'default'])('is legal code for a document named %s', async name => {
    const { files } = await generated(`${name}.yaml`, `paths: {/a: {get: {operationId: a, responses: ${answer}}}}\n`)
    const errors = [...files].find(([path]) => path.endsWith('errors.ts'))?.[1]
    expect(errors).toContain(`export const ${name}Domain: ErrorDomain`)
  })

  it.each([
    ['an empty operationId', `paths: {/a: {get: {operationId: '', responses: ${answer}}}}\n`, 'getA('],
    [
      'reasons of another tool',
      `x-errors: {gone-away: {description: d}}\npaths: {/a: {get: {operationId: a, responses: ${answer}}}}\n`,
      'a(',
    ],
  ])('is written in spite of %s', async (_, text, method) => {
    const { files } = await generated('foreign.yaml', text)
    expect([...files].find(([path]) => path.endsWith('client.ts'))?.[1]).toContain(method)
  })

  it('of a chain of thousands of schemas, and of cycles, ends', async () => {
    const links = Array.from(
      { length: 3000 },
      (_, i) => `    A${i}: {type: object, properties: {n: {$ref: '#/components/schemas/A${(i + 1) % 3000}'}}}`,
    )
    const body = "{content: {application/json: {schema: {$ref: '#/components/schemas/A0'}}}}"
    const paths = `paths: {/a: {post: {operationId: a, requestBody: ${body}, responses: ${answer}}}}\n`
    const { files } = await generated('chain.yaml', `${paths}components:\n  schemas:\n${links.join('\n')}\n`)
    expect([...files.values()].join('')).toContain('export interface A2999')
  })

  it.each([
    ['A', 'B'],
    ['B', 'A'],
  ])('drops and completes members within cycles whichever schema comes first: %s', async (...order) => {
    const schemas = {
      A: '    A: {type: object, properties: {b: {$ref: "#/components/schemas/B"}, x: {type: integer, default: 3}, secret: {type: string, readOnly: true}}}',
      B: '    B: {type: object, properties: {a: {$ref: "#/components/schemas/A"}}}',
    }
    const body = "{content: {application/json: {schema: {$ref: '#/components/schemas/B'}}}}"
    const paths = `paths: {/b: {post: {operationId: b, requestBody: ${body}, responses: ${answer}}}}\n`
    const rows = order.map(name => schemas[name as keyof typeof schemas]).join('\n')
    const { files } = await generated('circle.yaml', `${paths}components:\n  schemas:\n${rows}\n`)
    const validators = [...files].find(([path]) => path.endsWith('validators.ts'))?.[1]
    expect(validators).toContain('export function completeBInput')
    expect(validators).toContain('completeAInput(')
  })

  it('warns that base paths of servers are in no route', async () => {
    const { printed } = await generated(
      'based.yaml',
      `servers: [{url: 'https://a.example/api/v2'}]\npaths: {/a: {get: {operationId: a, responses: ${answer}}}}\n`,
    )
    expect(printed.join('\n')).toContain('server-path-unused')
  })
})

describe('a check', () => {
  it('requires the members of a response that its type declares as always present', async () => {
    const faults = new Faults()
    const checks = await answerChecks('taxonomy', 'Organisation')
    expect(checks.Organisation({}, faults)).toBe(false)
    const fields = faults.list.map(({ field }) => field)
    expect(fields).toEqual(expect.arrayContaining(['display_name', 'labels', 'etag']))
    expect(fields).not.toContain('state_change_time')
  })

  it('allows new members in a response, but not in a request', async () => {
    const { files } = await generated(
      'a.yaml',
      `paths:
  /a:
    post:
      operationId: a
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Both' } } } }
      responses: { '200': { description: d, content: { application/json: { schema: { $ref: '#/components/schemas/Answer' } } } } }
components:
  schemas:
    Plain: { type: object, additionalProperties: false, properties: { a: { type: string } } }
    Answer: { type: object, additionalProperties: false, properties: { plain: { $ref: '#/components/schemas/Plain' }, both: { $ref: '#/components/schemas/Both' } } }
    Both: { type: object, additionalProperties: false, properties: { id: { type: string, readOnly: true }, plain: { $ref: '#/components/schemas/Plain' } } }
`,
    )
    const checks = (files.get('a/validators.ts') ?? '').split('export function ')
    const closed = checks.filter(check => check.includes('closed(value')).map(check => check.split('(')[0])
    expect(closed).toEqual(['checkPlain', 'checkBothInput'])
  })

  it('lets a mask name members of an output-only field', () => {
    expect(() => checkMask('effective_state_source.scope_id', organisationFields)).not.toThrow()
    expect(() => checkMask('effective_state_source.scope', organisationFields)).toThrow(/no field/)
    expect(() => checkMask('group_count.x', organisationFields)).toThrow(/taken whole/)
  })
})
