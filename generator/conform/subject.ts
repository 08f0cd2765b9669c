import type { Document, ErrorReason, Json, Operation, Parameter, Schema } from '../model/types.ts'
import type { Call } from './call.ts'
import { withParameter, type Draft } from './draft.ts'
import type { Examples } from './example.ts'
import { isJson, isJsonObject, type JsonObject, memberOf, withMember, withoutMember } from './json.ts'
import { maskedOf, type ObjectShape, shapeOf } from './shape.ts'

export interface ConformOptions {
  /** The header `Authorization` of a caller who may do everything the document has. */
  readonly authorization?: string
  /** Reasons that every operation may raise beside its own: the common block of conventions §7. */
  readonly common?: readonly ErrorReason[]
  /** Answers carry `x-request-id` and `traceparent`, and times as the platform writes them (conventions §1). */
  readonly platform?: boolean
  /** Requests an operation; 200 when absent. What is beyond is counted as omitted. */
  readonly limit?: number
  /** Requests in all; 20,000 when absent. */
  readonly total?: number
  /** The ids of the operations to walk; all when absent. */
  readonly operations?: readonly string[]
  /**
   * Things that exist, with which operations must succeed; they will be changed and deleted. Without them, and beside
   * them, the document's examples are used, and for reading what lists answer.
   */
  readonly existing?: Existing
}

/** How a call names things that exist. */
export interface Existing {
  /** All path parameters, by name. */
  readonly path?: Readonly<Record<string, string>>
  /** Members that replace those of the example. */
  readonly body?: JsonObject
}

/** One operation while it is walked. */
export interface Subject {
  readonly document: Document
  readonly operation: Operation
  readonly examples: Examples
  readonly options: ConformOptions
  readonly call: Call
  /** Errors are google.rpc.Status and name reason and fields: the document declares errors. Else a 4XX will do. */
  readonly isStrict: boolean
}

/** What is sent when nothing is broken: required parameters and a body. Undefined where an example is missing. */
export function validDraft(subject: Subject): Draft | undefined {
  const { examples, operation, options } = subject
  const { body } = operation
  const content = body && bodyExample(subject)
  if (body?.required && content === undefined) return undefined
  const { schemas } = examples
  let draft: Draft = { operation, parameters: new Map(), body: content, authorization: options.authorization, schemas }
  for (const parameter of operation.parameters) {
    if (!parameter.required) continue
    const value = parameterExample(parameter, examples)
    if (value === undefined) return undefined
    draft = withParameter(draft, parameter, value)
  }
  return draft
}

/** The draft aimed at things that exist, where the caller has named them; an update is without preconditions. */
export function existingDraft(draft: Draft, subject: Subject): Draft | undefined {
  const { operation, options } = subject
  const { body = {}, path = {} } = options.existing ?? {}
  const inPath = operation.parameters.filter(parameter => parameter.in === 'path')
  const isNamed = inPath.every(({ name }) => Object.hasOwn(path, name)) && inPath.length + Object.keys(body).length > 0
  if (!isNamed) return undefined
  const aimed = inPath.reduce(
    (found, parameter) => withParameter(found, parameter, memberOf(path, parameter.name)),
    draft,
  )
  if (!isJsonObject(draft.body)) return aimed
  const given = Object.entries(body).reduce((value, [name, member]) => withMember(value, name, member), draft.body)
  return withoutPreconditions({ ...aimed, body: given }, subject)
}

/** An example shows some resource: what cannot be changed, and the etag, are another one's. */
function withoutPreconditions(draft: Draft, { examples, operation: { body } }: Subject): Draft {
  const shape = body && shapeOf(body.content.schema, examples.schemas)
  if (shape?.kind !== 'object' || !isJsonObject(draft.body)) return draft
  if (body?.view === 'update') return { ...draft, body: withoutFixed(draft.body, shape) }
  const masked = maskedOf(shape)
  const inner = masked && shapeOf(masked.schema, examples.schemas)
  const value = masked && memberOf(draft.body, masked.name)
  if (inner?.kind !== 'object' || !isJsonObject(value)) return draft
  const changed = withMember(draft.body, masked?.name ?? '', withoutFixed(value, inner))
  return { ...draft, body: withoutMember(changed, 'etag') }
}

function withoutFixed(value: JsonObject, { properties }: ObjectShape): JsonObject {
  const fixed = properties.filter(({ immutable, name }) => immutable || name === 'etag')
  return fixed.reduce((rest, { name }) => withoutMember(rest, name), value)
}

/** A value of a parameter: the document's example where it fits. */
export function parameterExample(parameter: Parameter, examples: Examples): Json | undefined {
  return (
    given(parameter.example, parameter.schema, 'input', examples) ??
    examples.of(parameter.schema, 'input', parameter.name)
  )
}

function bodyExample({ examples, operation: { body } }: Subject): Json | undefined {
  if (!body) return undefined
  const { content, view } = body
  if (content.kind === 'bytes') return 'example'
  const value = given(content.example, content.schema, view, examples) ?? examples.of(content.schema, view, '')
  // Without its mask the example replaces everything, so that what is broken counts.
  const isMasked = maskedOf(shapeOf(content.schema, examples.schemas)) !== undefined
  return isMasked && isJsonObject(value) ? withoutMember(value, 'update_mask') : value
}

function given(value: unknown, schema: Schema, view: 'input' | 'update', examples: Examples): Json | undefined {
  if (value === undefined || !isJson(value)) return undefined
  const pruned = examples.pruned(value, schema, view)
  return examples.fits(pruned, schema, view) ? pruned : undefined
}

/** Parameters of lists and masks have rules beyond their schema (conventions §6, §8), and proofs of their own. */
export function isSpecial({ name, in: place }: Parameter, { body, list }: Operation): boolean {
  if (place !== 'query') return false
  if (name === 'page_token' || (list && ['filter', 'order_by'].includes(name))) return true
  return body?.view === 'update' && name === 'update_mask'
}
