import type { Content, RequestBody } from '../model/types.ts'
import { byteStream, isStream, streamed } from './answer-type.ts'
import { taggedType } from './tagged-type.ts'
import { parsedType, isCompletable } from './parsed-types.ts'
import { type Type, unionOf } from './layout/type.ts'
import { type TypeContext, typeOf } from './type-expression.ts'

/** Returns the type of a request's body for callers. */
export const sentBody = (body: RequestBody, context: TypeContext): Type =>
  bodyType(body, ({ kind, schema }) => {
    if (kind === 'bytes') return context.file.runtime('Bytes')
    const type = typeOf(schema, { ...context, view: body.view })
    return kind === 'multipart' ? unionOf([type, 'FormData']) : type
  })

/**
 * Returns the type of a request's body after the runtime has read it, before defaults are filled: bytes are a stream,
 * and forms are objects.
 */
export const readBody = (body: RequestBody, context: TypeContext): Type =>
  bodyType(body, ({ kind, schema }) =>
    kind === 'bytes' ? byteStream : typeOf(schema, { ...context, view: body.view }),
  )

/** Returns the type of a body for handlers. */
export const handlerBody = (body: RequestBody, context: TypeContext): Type =>
  bodyType(body, content => {
    if (content.kind === 'bytes') return byteStream
    const inner: TypeContext = { ...context, view: body.view }
    return isCompletable(body, content) && !body.isPatch
      ? parsedType(content.schema, inner)
      : typeOf(content.schema, inner)
  })

const bodyType = (body: RequestBody, plainType: (content: Content) => Type): Type =>
  taggedType(body, each => (isStream(each) ? streamed(plainType(each)) : plainType(each)))
