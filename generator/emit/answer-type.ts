import type { Content, ListTrait, Operation, Property, Response, Schema } from '../model/types.ts'
import { type Emission, resolved } from './emission.ts'
import { annotated, generic, objectOf, type Type, unionOf } from './layout/type.ts'
import { key } from './layout/typescript.ts'
import { taggedType } from './tagged-type.ts'
import { isOptional, memberOf, type TypeContext, typeOf, visible } from './type-expression.ts'

/** The type of bytes for the receiver. A sender may give bytes in other forms too. */
export const byteStream: Type = generic('ReadableStream', generic('Uint8Array', 'ArrayBuffer'))

/** Whether the content is a stream of items. */
export const isStream = ({ kind }: Content): boolean => kind === 'lines' || kind === 'events'

/** Returns the type of a stream of items of the type `item`. */
export const streamed = (item: Type): Type => generic('AsyncIterable', item)

/**
 * Returns the type of a result for callers: the body of the single success, or `void` without a body. For an operation
 * with replies, returns the union of a `Reply` for each success.
 */
export function resultType(operation: Operation, context: TypeContext): Type {
  const output: TypeContext = { ...context, view: 'output' }
  if (operation.answer === 'replies') {
    return unionOf(operation.successes.map(response => replyType(response, () => byteStream, output)))
  }
  const [success] = operation.successes
  return (success && answerBody(success, each => contentType(each, () => byteStream, output))) ?? 'void'
}

/** Returns the type of the body of a response; undefined without content. */
function answerBody({ content, ...body }: Response, typeOfContent: (content: Content) => Type): Type | undefined {
  return content && taggedType({ ...body, content }, typeOfContent)
}

/**
 * Returns the type of the value of a content. `bytes` returns the type of bytes, which differs between sender and
 * receiver.
 */
function contentType(content: Content, bytes: () => Type, context: TypeContext): Type {
  if (content.kind === 'bytes') return bytes()
  const type = typeOf(content.schema, context)
  return isStream(content) ? streamed(type) : type
}

function replyType(response: Response, bytes: () => Type, context: TypeContext): Type {
  const { headers, status } = response
  const args: Type[] = [typeof status === 'number' ? String(status) : 'number']
  const body = answerBody(response, content => contentType(content, bytes, context))
  if (body !== undefined) args.push(body)
  else if (headers.length > 0) args.push('undefined')
  if (headers.length > 0) {
    args.push(
      objectOf(
        headers.map(({ name, required, schema }) =>
          annotated(`${key(name)}${required ? ':' : '?:'}`, typeOf(schema, context)),
        ),
      ),
    )
  }
  return generic(context.file.runtime('Reply'), ...args)
}

/**
 * Returns the type of a list handler's result: a page of rows. If the response has other members, the page includes
 * these members, unless all of them are optional and the handler leaves them out.
 */
function pageType({ successes }: Operation, { item, member }: ListTrait, context: TypeContext): Type {
  const { file, emission } = context
  const row = typeOf(item, context)
  const plain = generic(file.runtime('Page'), row)
  const answer = successes[0]?.content?.schema
  const written = [member, 'next_page_token']
  const others = answer ? answered(answer, emission).filter(({ name }) => !written.includes(name)) : []
  if (others.length === 0) return plain
  const rest = objectOf(others.map(property => memberOf(property, context)))
  const full = generic(file.runtime('PageWith'), row, rest)
  return others.every(property => isOptional(property, 'output')) ? unionOf([plain, full]) : full
}

/**
 * Returns the visible members of a schema of a response, including the members of the branches of an intersection. If
 * branches repeat a name, the last member counts. Schemas of other kinds have no members.
 */
function answered(schema: Schema, emission: Emission): readonly Property[] {
  const of = resolved(emission, schema)
  if (of.kind === 'object') return visible(of.properties, 'output')
  if (of.kind !== 'intersection') return []
  const members = of.of.flatMap(branch => answered(branch, emission))
  return [...new Map(members.map(property => [property.name, property])).values()]
}

/** Returns the type of a handler's result. */
export function answerType(operation: Operation, context: TypeContext): Type {
  const { file } = context
  if (operation.answer === 'page' && operation.list) {
    return pageType(operation, operation.list, { ...context, view: 'output' })
  }
  if (operation.answer === 'replies') {
    const output: TypeContext = { ...context, view: 'output' }
    return unionOf(operation.successes.map(response => replyType(response, () => file.runtime('Bytes'), output)))
  }
  if (operation.answer === 'empty') return resultType(operation, context)
  const [success] = operation.successes
  return (success && answerBody(success, each => handledType(each, context))) ?? 'void'
}

/** Returns the type of the value of a content that a handler returns. */
function handledType(content: Content, context: TypeContext): Type {
  const { file } = context
  if (content.kind === 'bytes') return file.runtime('Bytes')
  if (content.kind === 'text') return 'string'
  const type = typeOf(content.schema, { ...context, view: 'output' })
  const answer = generic(file.runtime('Answer'), type)
  return isStream(content) ? streamed(answer) : answer
}
