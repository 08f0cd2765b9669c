import type { Content, Parameter } from '../../model/types.ts'
import { type Break, breaksOf } from '../breaks.ts'
import type { HttpAnswer } from '../call.ts'
import { isJsonMember } from '../body-text.ts'
import { type Draft, withParameter } from '../draft.ts'
import { errorOf } from '../error.ts'
import { fieldOf } from '../field.ts'
import { isJsonObject } from '../json.ts'
import { pairs } from '../pairs.ts'
import type { Probe } from '../probe.ts'
import { type Schemas, shapeOf } from '../shape.ts'
import { existingDraft, isSpecial, parameterExample, type Subject } from '../subject.ts'
import { mustBeRefused, type Refusal } from '../verdict.ts'

/** The field names with which an error may report a fault of the whole body. */
const wholeBody = ['body', '']

const invalid = (...fields: readonly string[]): Refusal => ({ reason: 'FIELD_INVALID', fields })

/** Proves that the server refuses each broken constraint of parameters and body, and names the field. */
export async function proveRefused(subject: Subject, probe: Probe, draft: Draft): Promise<void> {
  const refuse = async (what: string, broken: Draft, refusal: Refusal): Promise<void> =>
    mustBeRefused(await probe.send(broken, what), what, refusal, subject, probe)
  // The platform forbids undeclared query parameters (conventions §1), but OpenAPI does not.
  const undeclared = { ...draft, pairs: ['x_not_declared=1'] }
  if (subject.isStrict) await refuse('a query parameter that is not declared', undeclared, invalid('x_not_declared'))
  for (const parameter of subject.operation.parameters) await refuseParameter(parameter, subject, draft, refuse)
  if (!subject.operation.body) return
  await refuseBody(subject, draft, refuse)
  await refuseMembers(subject, probe, draft, refuse)
}

type Refuse = (what: string, broken: Draft, refusal: Refusal) => Promise<void>

async function refuseParameter(parameter: Parameter, subject: Subject, draft: Draft, refuse: Refuse): Promise<void> {
  const { in: place, name, required, schema } = parameter
  const value = parameterExample(parameter, subject.examples)
  if (value === undefined) return
  if (required && place !== 'path')
    await refuse(`${name}: missing`, withParameter(draft, parameter, undefined), invalid(name))
  if (place === 'query' && typeof value !== 'object' && !isSpecial(parameter, subject.operation)) {
    const twice = [...pairs(parameter, value), ...pairs(parameter, value)]
    await refuse(`${name}: given twice`, { ...withParameter(draft, parameter, undefined), pairs: twice }, invalid(name))
  }
  for (const broken of breaksOf(schema, 'input', value, subject.examples)) {
    if (!canBeSent(broken, parameter)) continue
    const field = fieldOf([name, ...broken.path])
    await refuse(`${field}: ${broken.what}`, withParameter(draft, parameter, broken.value), invalid(field))
  }
}

/**
 * Whether a broken value can be sent as a parameter. Text cannot express a wrong type, and headers and paths exclude
 * some characters.
 */
function canBeSent({ kind, path, value, what }: Break, { in: place, style }: Parameter): boolean {
  if (style === 'json') return true
  if (kind === 'null' || kind === 'unknown' || what.startsWith('a number instead of text')) return false
  if (Array.isArray(value) && (value.length === 0 || !value.every(isScalar))) return false
  if (isJsonObject(value) && (Object.keys(value).length === 0 || !Object.values(value).every(isScalar))) return false
  if (kind === 'type' && path.length === 0 && (what.includes('list') || what.includes('object'))) return false
  if (!isScalar(value)) return true
  const text = String(value)
  if (place === 'path') return !/^\.{0,2}$/.test(text)
  return place !== 'header' || text === '' || /^[!-~]([ -~]*[!-~])?$/.test(text)
}

const isScalar = (value: unknown): boolean => typeof value !== 'object' && value !== ''

async function refuseBody({ operation: { body } }: Subject, draft: Draft, refuse: Refuse): Promise<void> {
  if (!body) return
  const { kind, type } = body.content
  if (body.required) await refuse('no body', { ...draft, body: undefined }, invalid(...wholeBody))
  if (draft.body !== undefined && type !== '*/*') {
    const other = type.startsWith('text/') ? 'application/json' : 'text/plain'
    const contentType = body.isTagged ? 'application/x-not-declared' : other
    await refuse(`a body of type ${contentType}`, { ...draft, contentType }, invalid(...wholeBody))
  }
  if (kind === 'json') await refuse('a body that is no JSON', { ...draft, text: '{"' }, invalid(...wholeBody))
}

async function refuseMembers(subject: Subject, probe: Probe, draft: Draft, refuse: Refuse): Promise<void> {
  const { examples, isStrict, operation } = subject
  const { body } = operation
  if (body === undefined || body.content.kind === 'bytes' || draft.body === undefined) return
  const place = body.content.kind === 'lines' || body.content.kind === 'events' ? ['body', 0] : []
  for (const broken of breaksOf(body.content.schema, body.view, draft.body, examples)) {
    if (!isTold(broken, body.content, examples.schemas)) continue
    const field = fieldOf([...place, ...broken.path])
    const what = `${field || 'body'}: ${broken.what}`
    const sent = { ...draft, body: broken.value }
    const refusal = field === '' ? invalid(...wholeBody) : invalid(field)
    if (broken.kind !== 'reset') await refuse(what, sent, refusal)
    else if (isStrict) await refuseReset(what, existingDraft(sent, subject) ?? sent, refusal, subject, probe)
  }
}

/** Whether a media type can express a broken value. Text and forms have no types, no null and no empty lists. */
function isTold({ kind, path, value, what }: Break, content: Content, schemas: Schemas): boolean {
  if (content.kind === 'text') return typeof value === 'string'
  if (content.kind !== 'form' && content.kind !== 'multipart') return true
  const [name] = path
  const shape = shapeOf(content.schema, schemas)
  const property = shape.kind === 'object' ? shape.properties.find(each => each.name === name) : undefined
  if (typeof name !== 'string' || !property) return kind === 'unknown'
  if (isJsonMember(content, name, property.schema, schemas)) return kind === 'missing' || path.length > 1
  const member = isJsonObject(value) ? value[name] : undefined
  if (kind === 'null' || /instead of (?:text|a list|an object|a value)/.test(what)) return false
  return !Array.isArray(member) || member.length > 0
}

/**
 * Proves that the server refuses a reset. The server checks required members only after it has found the resource, so
 * 404 and a missing handler also pass.
 */
async function refuseReset(what: string, sent: Draft, refusal: Refusal, subject: Subject, probe: Probe): Promise<void> {
  const answer = await probe.send(sent, what)
  if (answer && answer.status !== 501 && !isNotFound(answer)) mustBeRefused(answer, what, refusal, subject, probe)
}

const isNotFound = (answer: HttpAnswer): boolean =>
  answer.status === 404 && errorOf(answer)?.reason !== 'ROUTE_NOT_FOUND'
