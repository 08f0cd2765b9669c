import { readBody } from './body.ts'
import { covers, essence, takes, toBody, writeMedia } from './media.ts'
import type { ClientBody, Media, RequestBody } from './media.ts'
import { isRecord } from './validation.ts'
import type { Check, Faults } from './validation.ts'

/**
 * A body of several media types, or of a range: `{ contentType, body }`, as the caller picks. Ranges come last. Handlers
 * find the type as it is declared, of a range the type that was sent.
 */
export function mediaChoice(
  { required }: Pick<RequestBody, 'required'>,
  media: readonly [Media, ...Media[]],
): ClientBody {
  const [{ type }] = media
  const pick = (contentType: unknown) => {
    const picked = media.find(each => takes(each, String(contentType)))
    if (picked === undefined) throw new TypeError(`the content type "${contentType}" of the body is not declared`)
    return picked
  }
  return {
    required,
    type,
    aliases: media.flatMap(each => [each.type, ...(each.aliases ?? [])]).slice(1),
    kind: {
      name: 'choice',
      typeOf(value) {
        const { body, contentType } = taken(value)
        const { kind } = pick(contentType)
        return kind !== 'json' && kind.typeOf ? kind.typeOf(body) : String(contentType)
      },
      write(value) {
        const { body, contentType } = taken(value)
        return writeMedia(pick(contentType), body)
      },
      async read(chunks, reading) {
        const sent = reading.headers['content-type'] ?? type
        const picked = pick(sent)
        const body = await readBody(chunks, picked, false, reading)
        const contentType = picked.type.includes('*') ? essence(sent) : picked.type
        return body === undefined ? undefined : { contentType, body }
      },
    },
    write: toBody,
  }
}

const taken = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})

/** Judges a body that says its content type by the check of that type; ranges come last. */
export function checkChoice(value: unknown, faults: Faults, checks: Readonly<Record<string, Check>>): boolean {
  const { body, contentType } = taken(value)
  const [, check] = Object.entries(checks).find(([type]) => covers(type, String(contentType))) ?? []
  return check ? check(body, faults) : faults.add('body', 'must have one of the declared content types')
}
