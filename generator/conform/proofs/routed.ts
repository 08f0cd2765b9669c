import type { Parameter } from '../../model/types.ts'
import { edgesOf } from '../edges.ts'
import { type Draft, withParameter } from '../draft.ts'
import { isJsonObject, withMember } from '../json.ts'
import type { Probe } from '../probe.ts'
import { rowDraft } from '../rows.ts'
import { shapeOf } from '../shape.ts'
import { existingDraft, isSpecial, parameterExample, type Subject } from '../subject.ts'
import { mustBeAccepted, mustSucceed } from '../verdict.ts'

/** Proves that an operation is routed, and that each valid request reaches its handler. */
export async function proveRouted(subject: Subject, probe: Probe, draft: Draft): Promise<void> {
  mustBeAccepted(await probe.send(draft, 'a valid request'), 'a valid request', subject, probe)
  await proveOptional(subject, probe, draft)
  await proveEdges(subject, probe, draft)
  await proveOutputIgnored(subject, probe, draft)
  await proveExisting(subject, probe, draft)
}

async function proveOptional(subject: Subject, probe: Probe, draft: Draft): Promise<void> {
  for (const parameter of subject.operation.parameters) {
    if (parameter.required || isSpecial(parameter, subject.operation)) continue
    const value = parameterExample(parameter, subject.examples)
    if (value === undefined || (!subject.isStrict && isInvented(parameter, subject))) continue
    const what = `a valid request with ${parameter.name}`
    mustBeAccepted(await probe.send(withParameter(draft, parameter, value), what), what, subject, probe)
  }
}

/**
 * Whether an example is invented for a text without pattern and format. The server may expect a cursor or an existing
 * name in the text, so only an example of the document is reliable.
 */
function isInvented({ example, schema }: Parameter, { examples }: Subject): boolean {
  const shape = shapeOf(schema, examples.schemas)
  const isPlain = shape.kind === 'string' && shape.pattern === undefined && shape.format === undefined
  return isPlain && [example, schema.example, schema.default, shape.example].every(each => each === undefined)
}

/** Proves that the server accepts values at their bounds. */
async function proveEdges(subject: Subject, probe: Probe, draft: Draft): Promise<void> {
  for (const [what, edge] of edgeDrafts(subject, draft)) {
    mustBeAccepted(await probe.send(edge, what), what, subject, probe)
  }
}

function* edgeDrafts({ examples, operation }: Subject, draft: Draft): Generator<readonly [what: string, Draft]> {
  for (const parameter of operation.parameters) {
    if (parameter.in === 'path' || isSpecial(parameter, operation)) continue
    for (const { value, what } of edgesOf(parameter.schema, examples)) {
      yield [`${parameter.name}: ${what}`, withParameter(draft, parameter, value)]
    }
  }
  const { body } = draft
  const shape = operation.body && shapeOf(operation.body.content.schema, examples.schemas)
  if (shape?.kind !== 'object' || !isJsonObject(body)) return
  for (const { access, name, schema } of shape.properties) {
    if (access === 'output') continue
    for (const { value, what } of edgesOf(schema, examples)) {
      yield [`${name}: ${what}`, { ...draft, body: withMember(body, name, value) }]
    }
  }
}

/** Proves that the server ignores output-only members in a body, whatever their value (conventions §6). */
async function proveOutputIgnored(subject: Subject, probe: Probe, draft: Draft): Promise<void> {
  const { examples, isStrict, operation } = subject
  const shape = operation.body && shapeOf(operation.body.content.schema, examples.schemas)
  const { body } = draft
  if (!isStrict || shape?.kind !== 'object' || !isJsonObject(body)) return
  const ignored = shape.properties.filter(({ access }) => access === 'output')
  if (ignored.length === 0) return
  const filled = ignored.reduce((value, { name }) => withMember(value, name, { ignored: true }), body)
  const what = 'a valid request with output-only members'
  mustBeAccepted(await probe.send({ ...draft, body: filled }, what), what, subject, probe)
}

/** Proves that an operation succeeds for a known resource, so that a success is judged too. */
async function proveExisting(subject: Subject, probe: Probe, draft: Draft): Promise<void> {
  const { operation } = subject
  const existing = existingDraft(draft, subject)
  const what = 'a valid request for an existing resource'
  if (existing) return mustSucceed(await probe.send(existing, what), what, subject, probe)
  if (operation.method !== 'GET') return
  const row = await rowDraft(draft, subject, probe)
  if (row) mustSucceed(await probe.send(row, what), what, subject, probe)
}
