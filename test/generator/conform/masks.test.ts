import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RequestSender, callOver } from '../../../generator/conform/call.ts'
import { conform } from '../../../generator/conform/conform.ts'
import { dispatcher } from '../../../runtime/call.ts'
import { applyUpdate } from '../../../runtime/field-mask.ts'
import type { BoundRoute } from '../../../runtime/route.ts'
import { overNode } from '../../runtime/media/hosted.ts'
import { generation, newFolder, removeFolder, runtimeFrom, writeFiles } from '../generation.ts'
import { document } from '../reading.ts'

/** A document that updates a rule of a policy: the mask is in the body, next to the rule. */
const policies = document(`paths:
  /policies:updateRule:
    post:
      operationId: updateRule
      tags: [rules]
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Change' } } } }
      responses:
        '200': { description: The rule., content: { application/json: { schema: { $ref: '#/components/schemas/Rule' } } } }
        4XX: { description: Why not. }
components:
  schemas:
    Change:
      type: object
      additionalProperties: false
      required: [id, rule]
      properties:
        id: { type: string }
        rule: { allOf: [{ $ref: '#/components/schemas/Rule' }], description: The new values. }
        update_mask: { type: string, format: field-mask, default: '' }
      example: { id: r1, rule: { name: a, priority: 2 }, update_mask: priority }
    Rule:
      type: object
      additionalProperties: false
      required: [id, name, priority]
      properties:
        id: { type: string, readOnly: true }
        name: { type: string, x-immutable: true }
        priority: { type: integer, minimum: 0, maximum: 9 }
        note: { type: string, maxLength: 20, default: '' }
        peers: { type: object, additionalProperties: false, properties: { range: { type: string, maxLength: 9 } } }
`)

interface Rule {
  readonly id: string
  readonly name: string
  readonly priority: number
  readonly note: string
}
interface UpdateRule {
  readonly body: { readonly rule: Partial<Rule>; readonly update_mask: string }
}
type Routes = (handlers: { readonly rules: object }) => readonly BoundRoute[]

const folder = newFolder()
const stored: Rule = { id: 'r1', name: 'a', priority: 1, note: '' }
let model: NonNullable<Awaited<ReturnType<typeof generation>>['model']>
let routes: Routes

beforeAll(async () => {
  writeFiles(folder, new Map([['policies.yaml', policies]]))
  const generated = await generation(['policies.yaml'], folder, runtimeFrom(folder))
  if (!generated.model) throw new Error(generated.printed.join('\n'))
  model = generated.model
  writeFiles(folder, generated.files)
  const module: { policiesRoutes: Routes } = await import(pathToFileURL(join(folder, 'policies/routes.ts')).href)
  routes = module.policiesRoutes
})

afterAll(() => removeFolder(folder))

/** Runs the conformance check on a server of the document whose handler updates one rule; returns the findings. */
async function walked(change: (call: RequestSender) => RequestSender = call => call) {
  const updateRule = async ({ body }: UpdateRule): Promise<Rule> =>
    applyUpdate(fieldsOf(), stored, body.rule, body.update_mask, 'rule').value
  const dispatch = dispatcher({
    routes: routes({ rules: { updateRule } }),
    doors: { authenticate: async () => undefined, authorize: async () => undefined },
    clock: { now: () => 0, newId: () => '1' },
    domains: { outside: { name: 'policies' } },
    log: () => undefined,
  })
  await using hosted = await overNode(dispatch)
  const [only] = model.documents
  if (!only) throw new Error('there is no document')
  const schemas = new Map(only.schemas.map(schema => [schema.id, schema]))
  const existing = { body: { id: 'r1' } }
  const { findings } = await conform(only, schemas, change(callOver(hosted.baseUrl)), { existing, platform: true })
  // Other tests cover the form of the responses.
  return findings.filter(({ proof }) => proof !== 'answer').map(({ proof, what }) => `${proof} ${what}`)
}

/** Returns the rules of the fields in the route. */
function fieldsOf() {
  const fields = routes({ rules: {} })[0]?.route.fields
  if (!fields) throw new Error('the route has no fields')
  return fields
}

test('a mask in the body is checked like a mask in the query, and its faults have the path from the body on', async () => {
  expect(await walked()).toEqual([])
})

test('a server that ignores the mask in the body is found', async () => {
  const unmasked: (call: RequestSender) => RequestSender = call => request =>
    call({ ...request, body: without(request.body) })
  expect(await walked(unmasked)).toEqual([
    'refused update_mask: x_not_declared',
    'refused update_mask: name,*',
    'refused update_mask: name,',
    'refused update_mask: name.x_not_declared',
  ])
})

test('a server that lets an update without a mask lack a required member is found', async () => {
  const filled: (call: RequestSender) => RequestSender = call => request => {
    const isWhole = !/"update_mask":"[^"]|"priority"/.test(request.body ?? '')
    return call(
      isWhole ? { ...request, body: (request.body ?? '').replace('"rule":{', '"rule":{"priority":1,') } : request,
    )
  }
  expect(await walked(filled)).toContain('refused rule.priority: missing')
})

/** Returns a body without its mask. */
function without(text: string | undefined): string {
  return (text ?? '').replace(/,?"update_mask":"[^"]*"/, '')
}
