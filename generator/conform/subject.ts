import type { Document, ErrorReason, Json, Operation, Parameter, Schema } from '../model/types.ts'
import type { RequestSender } from './call.ts'
import { withParameter, type Draft } from './draft.ts'
import type { Examples } from './example.ts'
import { isJson, isJsonObject, type JsonObject, memberOf, withMember, withoutMember } from './json.ts'
import { maskedOf, type ObjectShape, shapeOf } from './shape.ts'

/** The options of `conform`. */
export interface ConformOptions {
  /** The `Authorization` header of a caller with every permission. */
  readonly authorization?: string
  /**
   * The reasons that every operation may raise in addition to its own reasons: the common block of conventions §7. If
   * absent, every reason is permitted.
   */
  readonly common?: readonly ErrorReason[]
  /**
   * Whether responses must carry `x-request-id` and `traceparent`, and times must have the form of the platform
   * (conventions §1).
   */
  readonly platform?: boolean
  /** The maximal number of requests for one operation; 200 if absent. Further requests count as omitted. */
  readonly limit?: number
  /** The maximal number of requests in one run; 20,000 if absent. */
  readonly total?: number
  /** The ids of the operations to test; all operations are tested if absent. */
  readonly operations?: readonly string[]
  /**
   * Existing resources, for which operations must succeed. The run changes and deletes these resources. The run also
   * uses the document's examples and, for reading, the rows of lists.
   */
  readonly existing?: Existing
}

/** The values that identify existing resources in a call. */
export interface Existing {
  /** The values of all path parameters, keyed by the parameter's name. */
  readonly path?: Readonly<Record<string, string>>
  /** The members that replace members of the example body. */
  readonly body?: JsonObject
}

/** The context of one operation under test. */
export interface Subject {
  readonly document: Document
  readonly operation: Operation
  readonly examples: Examples
  readonly options: ConformOptions
  readonly call: RequestSender
  /**
   * Whether a refusal must be a google.rpc.Status with status 400, reason and fields, because the document declares
   * errors or `platform` is set. Otherwise, the status 400, 415 or 422 is enough.
   */
  readonly isStrict: boolean
}

/** Returns a valid request with the required parameters and a body; undefined if a required example is missing. */
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

/**
 * Aims a draft at the existing resources of the options, and removes preconditions from its body. Returns undefined if
 * the options name no resources for the operation.
 */
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

/**
 * Returns a draft of an update without immutable members and without the etag, and other drafts without preconditions,
 * because the example body shows another resource.
 */
function withoutPreconditions(draft: Draft, { examples, operation: { body } }: Subject): Draft {
  const shape = body && shapeOf(body.content.schema, examples.schemas)
  if (shape?.kind !== 'object' || !isJsonObject(draft.body)) return draft
  if (body?.view === 'update') return { ...draft, body: withoutFixed(draft.body, shape) }
  const masked = maskedOf(shape)
  const inner = masked && shapeOf(masked.schema, examples.schemas)
  const value = masked && memberOf(draft.body, masked.name)
  if (inner?.kind !== 'object' || !isJsonObject(value))
    return { ...draft, body: withoutPrecondition(draft.body, shape) }
  const changed = withMember(draft.body, masked?.name ?? '', withoutFixed(value, inner))
  return { ...draft, body: withoutMember(changed, 'etag') }
}

function withoutPrecondition(value: JsonObject, { properties }: ObjectShape): JsonObject {
  const preconditions = properties.filter(({ access }) => access === 'precondition')
  return preconditions.reduce((rest, { name }) => withoutMember(rest, name), value)
}

function withoutFixed(value: JsonObject, { properties }: ObjectShape): JsonObject {
  const fixed = properties.filter(({ immutable, name }) => immutable || name === 'etag')
  return fixed.reduce((rest, { name }) => withoutMember(rest, name), value)
}

/**
 * Returns a value for a parameter: the document's example if it fits, else a created value. Returns undefined if no
 * value can be created.
 */
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
  // Without `update_mask`, the update applies every member, so a broken member of the body has an effect.
  const isMasked = maskedOf(shapeOf(content.schema, examples.schemas)) !== undefined
  return isMasked && isJsonObject(value) ? withoutMember(value, 'update_mask') : value
}

function given(value: unknown, schema: Schema, view: 'input' | 'update', examples: Examples): Json | undefined {
  if (value === undefined || !isJson(value)) return undefined
  const pruned = examples.pruned(value, schema, view)
  return examples.fits(pruned, schema, view) ? pruned : undefined
}

/**
 * Whether a parameter of lists or masks has rules in addition to its schema (conventions §6, §8). Separate proofs test
 * these rules.
 */
export function isSpecial({ name, in: place }: Parameter, { body, list }: Operation): boolean {
  if (place !== 'query') return false
  if (name === 'page_token' || (list && ['filter', 'order_by'].includes(name))) return true
  return body?.view === 'update' && name === 'update_mask'
}
