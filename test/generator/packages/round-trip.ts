import { isDeepStrictEqual } from 'node:util'
import { Examples } from '../../../generator/conform/example.ts'
import type { Content, Json, Model, NamedSchema, Operation, Schema } from '../../../generator/model/types.ts'
import { within } from '../../../generator/model/walk.ts'
import type { Wire } from '../cases/wire.ts'

/** The result of sending the examples of a document from its client to its server. */
export interface RoundTrip {
  /** The number of operations that were called. */
  readonly called: number
  /**
   * The number of operations that were not called: a required part has no value, the operation has streams, bytes or
   * files, or the client refuses the example because the style of a parameter cannot express the example.
   */
  readonly skipped: number
  /** The operations whose handler received another request than the client was given. */
  readonly changed: readonly { readonly id: string; readonly fault: string }[]
}

/**
 * Calls each operation with the examples of the document, or values that fit its schemas, and compares the request that
 * its handler receives. Members that the server drops or fills are not compared.
 */
export async function roundTrip(model: Model, wire: Wire): Promise<RoundTrip> {
  const [document] = model.documents
  const schemas = new Map(model.documents.flatMap(each => each.schemas.map(schema => [schema.id, schema] as const)))
  const changed: RoundTrip['changed'][number][] = []
  let called = 0
  let skipped = 0
  for (const operation of document?.operations ?? []) {
    const request = requestOf(operation, schemas)
    if (request === undefined) {
      skipped += 1
      continue
    }
    const fault = await wire.call(operation.name, request).then(
      received =>
        isReceived(operation, received, request) ? undefined : `received ${show(received)} of ${show(request)}`,
      (error: unknown) =>
        isUnsendable(error) ? 'unsendable' : `threw ${String(error)} ${show(error)} of ${show(request)}`,
    )
    if (fault === 'unsendable') skipped += 1
    else called += 1
    if (fault !== undefined && fault !== 'unsendable') changed.push({ id: operation.id, fault })
  }
  return { called, skipped, changed }
}

/** Whether the client refused a value that the style of its parameter cannot express, before anything was sent. */
const isUnsendable = (error: unknown): boolean => error instanceof TypeError && / parameter "/.test(error.message)

const show = (value: unknown): string => JSON.stringify(value)?.slice(0, 300) ?? 'nothing'

type Schemas = ReadonlyMap<string, NamedSchema>

function requestOf({ body, parameters }: Operation, schemas: Schemas): Readonly<Record<string, unknown>> | undefined {
  const examples = new Examples(schemas)
  const request: Record<string, Json> = {}
  for (const parameter of parameters) {
    const { example, member, required, schema } = parameter
    if (!required && example === undefined && schema.example === undefined) continue
    const value = valueOf(parameter, examples)
    if (value !== undefined) request[member] = value
    else if (required) return undefined
  }
  if (body === undefined) return request
  const value = bodyOf(body.content, body.isTagged, examples)
  if (value === undefined) return body.required ? undefined : request
  return { ...request, body: value }
}

function bodyOf(content: Content, isTagged: boolean, examples: Examples): unknown {
  const { kind, type } = content
  if (kind === 'bytes' || kind === 'lines' || kind === 'events' || type.includes('*')) return undefined
  if (kind === 'multipart' && hasFile(content, examples)) return undefined
  const value = valueOf(content, examples)
  return value !== undefined && isTagged ? { contentType: type, body: value } : value
}

function hasFile({ schema }: Content, { schemas }: Examples): boolean {
  const of = schema.kind === 'ref' ? schemas.get(schema.target)?.schema : schema
  return of?.kind !== 'object' || of.properties.some(property => [...within(property.schema)].some(isFile))
}

const isFile = ({ kind }: Schema): boolean => kind === 'binary' || kind === 'ref'

/** Returns the example of a part if it fits, otherwise a value that fits the schema. */
function valueOf({ example, schema }: Pick<Content, 'example' | 'schema'>, examples: Examples): Json | undefined {
  const named = { ...schema, ...(example !== undefined && { example }) }
  return examples.of(named, 'input', 'value')
}

/**
 * Whether a received request has everything that was sent. A parameter that may be a text or a number arrives as text,
 * because the text `1` does not say which.
 */
function isReceived({ parameters }: Operation, received: unknown, sent: Readonly<Record<string, unknown>>): boolean {
  const isText = ({ member, schema }: Operation['parameters'][number]): boolean =>
    schema.kind === 'union' && typeof sent[member] === 'number'
  const texts = parameters.filter(isText).map(({ member }) => [member, String(sent[member])])
  return holds(received, { ...sent, ...Object.fromEntries(texts) })
}

/** Whether a received value has everything that was sent, apart from members that are dropped for being read-only. */
function holds(received: unknown, sent: unknown): boolean {
  if (Array.isArray(sent)) {
    return (
      Array.isArray(received) && received.length === sent.length && sent.every((each, i) => holds(received[i], each))
    )
  }
  if (typeof sent !== 'object' || sent === null) return isDeepStrictEqual(received, sent)
  if (typeof received !== 'object' || received === null) return false
  const members = new Map<string, unknown>(Object.entries(received))
  return Object.entries(sent).every(([name, value]) => !members.has(name) || holds(members.get(name), value))
}
