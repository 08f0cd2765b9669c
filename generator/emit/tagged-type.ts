import type { Content } from '../model/types.ts'
import { annotated, objectOf, type Type, unionOf } from './layout/type.ts'
import { quote } from './layout/typescript.ts'

/** A body of a request or an answer with its declared contents. */
interface Body {
  readonly content: Content
  readonly contents: readonly Content[]
  readonly isTagged: boolean
}

/** Returns the type of a body: of its single content, or of objects with content type and value. */
export function taggedType({ content, contents, isTagged }: Body, typeOfContent: (content: Content) => Type): Type {
  if (!isTagged) return typeOfContent(content)
  return unionOf(
    contents.map(each =>
      objectOf([`contentType: ${contentTypeOf(each.type)}`, annotated('body:', typeOfContent(each))]),
    ),
  )
}

/** Whether a media type is a range. */
export const isRange = (type: string): boolean => type.includes('*')

/**
 * Returns the type of a content type header: a literal for a media type, a template literal type for a range, and
 * `string` for the range of all types.
 */
function contentTypeOf(type: string): string {
  if (!isRange(type)) return quote(type)
  if (type === '*/*') return 'string'
  const parts = type.split('*').map(part => quote(part).slice(1, -1).replace(/[`$]/g, '\\$&'))
  return `\`${parts.join('${string}')}\``
}
