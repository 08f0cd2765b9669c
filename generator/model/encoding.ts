import { type DiagnosticList, messages } from '../diagnostics.ts'
import { member, members, positionOf, text } from '../read/located.ts'
import { own } from '../read/pointer.ts'
import type { Located } from '../read/types.ts'
import { present } from './present.ts'
import type { Form } from './media-types.ts'
import type { Encoding } from './types.ts'

const styles = ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'] as const

/** The forms in which a keyword of an encoding has an effect. The walk of the document reports `headers`. */
export const honouredEncodings = {
  contentType: ['form', 'multipart'],
  style: ['form'],
  explode: ['form'],
  allowReserved: ['form'],
  headers: [],
} as const satisfies Readonly<Record<string, readonly Form[]>>

const reported = ['contentType', 'style', 'explode', 'allowReserved'] as const

const isHonoured = (keyword: (typeof reported)[number], form: Form): boolean =>
  honouredEncodings[keyword].some(each => each === form)

/** Returns the declared encodings of the members of a form. Reports keywords that have no effect. */
export function encodingOf(media: Located, form: Form, diagnostics: DiagnosticList): readonly Encoding[] {
  const isForm = isHonoured('contentType', form)
  const encoding = member(media, 'encoding')
  if (encoding && !isForm) diagnostics.add(messages.encodingIgnored(), positionOf(encoding))
  return members(isForm ? encoding : undefined).map(([name, at]) => {
    for (const keyword of reported) {
      const part = member(at, keyword)
      if (part && !isHonoured(keyword, form)) diagnostics.add(messages.encodingKeyword(keyword), positionOf(part))
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
