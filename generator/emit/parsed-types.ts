import type { Content, Operation, Parameter, RequestBody, Schema } from '../model/types.ts'
import { type Completion, completion, memberCompletion, type Refers } from './completion.ts'
import { isStream } from './answer-type.ts'
import { type Emission, resolved, schemaOf } from './emission.ts'
import { annotated, arrayOf, intersectionOf, objectOf, type Type, unionOf } from './layout/type.ts'
import { key } from './layout/typescript.ts'
import { type TypeContext, typeOf, typedBranches, visible } from './type-expression.ts'

/**
 * Returns whether completing a sent value of a schema fills defaults or drops output-only members. The types
 * (`Parsed<Name>`) and the functions (`complete<Name>`) both follow this result. Without a discriminator,
 * the branches of a union are not completed, because the branch is unknown before the check.
 */
export const completionOf = (schema: Schema, emission: Emission): Completion => completion(schema, known(emission))

const known =
  ({ completions }: Emission): Refers =>
  target =>
    completions.get(target) ?? { fills: false, drops: false }

/** Returns the completion of an operation's request. */
export function requestCompletion(operation: Operation, emission: Emission): Completion {
  const inner = bodyCompletion(operation.body, emission)
  return { fills: inner.fills || filledParameters(operation).length > 0, drops: inner.drops }
}

/** The query parameters of every list. A handler gets the parsed values of these parameters in the context. */
const listParameters: ReadonlySet<string> = new Set(['page_size', 'page_token', 'filter', 'order_by'])

/** Returns the parameters whose defaults are filled. */
export const filledParameters = ({ list, parameters }: Operation): readonly Parameter[] =>
  parameters.filter(({ name, in: place, schema }) => {
    const isRead = list !== undefined && place === 'query' && listParameters.has(name)
    return schema.default !== undefined && !isRead
  })

/** Returns the completion of a body, combined over all its media types. */
export function bodyCompletion(body: RequestBody | undefined, emission: Emission): Completion {
  const found = body?.contents.map(content => contentCompletion(body, content, emission)) ?? []
  return { fills: found.some(({ fills }) => fills), drops: found.some(({ drops }) => drops) }
}

/**
 * Returns the completion of a content. The body of a PATCH says which members change: no defaults are filled, and only
 * its own output-only members are dropped.
 */
export function contentCompletion(body: RequestBody, content: Content, emission: Emission): Completion {
  if (!isCompletable(body, content)) return { fills: false, drops: false }
  if (!body.isPatch) return completionOf(content.schema, emission)
  return { fills: false, drops: !isStream(content) && outputOnly(content.schema, emission).length > 0 }
}

/** Returns the names of an object's members that requests never have. */
export function outputOnly(schema: Schema, emission: Emission): readonly string[] {
  const of = resolved(emission, schema)
  if (of.kind === 'intersection') return [...new Set(of.of.flatMap(branch => outputOnly(branch, emission)))]
  return of.kind === 'object' ? of.properties.filter(({ access }) => access === 'output').map(({ name }) => name) : []
}

/**
 * Whether the content of a body is completed. Updates are not completed, nor is a content type that also matches
 * another range of the same body.
 */
export function isCompletable({ contents, isTagged, view }: RequestBody, { type }: Content): boolean {
  const others = contents.filter(content => content.type !== type)
  const ranges = others.map(content => content.type.split('*')).filter(parts => parts.length > 1)
  const isHeld = ranges.some(([start = '', end = '']) => type.startsWith(start) && type.endsWith(end))
  return view === 'input' && !(isTagged && isHeld)
}

/** Whether the request of a handler has a type of its own, because defaults are filled or the body is narrower. */
export const hasParsedRequest = (operation: Operation, emission: Emission): boolean =>
  isNarrowed(operation.body) || requestCompletion(operation, emission).fills

/**
 * Whether callers may give a body in several forms while handlers get a single form: bytes are a stream, and forms are
 * objects.
 */
export const isNarrowed = (body: RequestBody | undefined): boolean =>
  body?.contents.some(({ kind }) => kind === 'bytes' || kind === 'multipart') ?? false

/** Returns the name of a handler's request type. */
export function handlerRequestName(operation: Operation, emission: Emission): string {
  return hasParsedRequest(operation, emission) ? operation.parsedRequestName : operation.requestName
}

/** Returns the type of a sent value after its defaults are filled. */
export function parsedType(schema: Schema, context: TypeContext): Type {
  if (!completionOf(schema, context.emission).fills) return typeOf(schema, context)
  const type = plainParsedType(schema, context)
  return schema.nullable ? unionOf([type, 'null']) : type
}

function plainParsedType(schema: Schema, context: TypeContext): Type {
  switch (schema.kind) {
    case 'ref': {
      const named = schemaOf(context.emission, schema.target)
      return context.file.from('types', named.parsedName, true, named.document)
    }
    case 'array':
      return arrayOf(parsedType(schema.items, context))
    case 'intersection':
      return intersectionOf(typedBranches(schema).map(branch => parsedType(branch, context)))
    case 'object': {
      const { nullable: _, ...object } = schema
      return intersectionOf([typeOf(object, context), filledMembers(object, context)])
    }
    default:
      return typeOf(schema, context)
  }
}

/**
 * Returns the object type of the members that change when defaults are filled, for an intersection with the sent type.
 */
export function filledMembers(schema: Extract<Schema, { kind: 'object' }>, context: TypeContext): Type {
  const filled = visible(schema.properties, 'input').filter(
    property => memberCompletion(property, known(context.emission)).fills,
  )
  return objectOf(
    filled.map(({ name, required, schema: member }) => {
      const isThere = required || member.default !== undefined
      return annotated(`${key(name)}${isThere ? ':' : '?:'}`, parsedType(member, context))
    }),
  )
}
