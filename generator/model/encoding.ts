import { type DiagnosticList, messages } from '../diagnostics.ts'
import { member, members, positionOf, text } from '../read/located.ts'
import { own } from '../read/pointer.ts'
import type { Located } from '../read/types.ts'
import { present } from './present.ts'
import type { Form } from './media-types.ts'
import type { Encoding } from './types.ts'

const styles = ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'] as const

const keywords: ReadonlySet<string> = new Set(['style', 'explode', 'allowReserved', 'contentType'])

/** The keywords of an encoding that have an effect, keyed by the form of the body (OpenAPI 3.0.3, Encoding Object). */
const honoured: Readonly<Partial<Record<Form, readonly string[]>>> = {
  form: ['style', 'explode', 'allowReserved', 'contentType'],
  multipart: ['contentType'],
}

/** Returns the declared encodings of the members of a form. Reports keywords that have no effect. */
export function encodingOf(media: Located, form: Form, diagnostics: DiagnosticList): readonly Encoding[] {
  const known = honoured[form]
  const encoding = member(media, 'encoding')
  if (encoding && !known) diagnostics.add(messages.encodingIgnored(), positionOf(encoding))
  return members(known && encoding).map(([name, at]) => {
    for (const [keyword, part] of members(at)) {
      if (keywords.has(keyword) && !known?.includes(keyword)) {
        diagnostics.add(messages.encodingKeyword(keyword), positionOf(part))
      }
    }
    const explode = own(at.value, 'explode')
    const style = styles.find(each => each === text(at, 'style'))
    return {
      name,
      ...present({
        style,
        explode: typeof explode === 'boolean' ? explode : undefined,
        allowReserved: own(at.value, 'allowReserved') === true || undefined,
        contentType: text(at, 'contentType'),
      }),
      position: positionOf(at),
    }
  })
}
