// Copied by ninefold. Do not edit: generate writes it again.

import { readBody } from './body.ts'
import { bestOf, essence, rankOf, taken, toBody, writeMedia } from './media.ts'
import type { AnswerMedia, ChoiceCodec, ClientBody, Declared, Media, RequestBody } from './media.ts'
import type { Check, Faults } from './validation.ts'

/** Returns a function that finds the media type with the best declared type or range for a content type. */
function picker<Kind>(media: readonly Declared<Kind>[]): (contentType: string) => Declared<Kind> {
  const declared = new Map(media.flatMap(each => [each.type, ...(each.aliases ?? [])].map(type => [type, each])))
  const types = [...declared.keys()]
  return contentType => {
    const picked = declared.get(bestOf(types, contentType) ?? '')
    // Callers of `fetch` cannot tell this fault of an answer from malformed JSON, which is as unreadable.
    if (picked === undefined) throw new SyntaxError(`the content type "${contentType.slice(0, 80)}" is not declared`)
    return picked
  }
}

/** Returns the content type that a receiver sees: the declared type, or for a range the sent type. */
const seenType = ({ type }: Declared<unknown>, sent: string): string => (type.includes('*') ? essence(sent) : type)

/**
 * Returns the declaration of a body with several media types, or with a range. The value of the body is
 * `{ contentType, body }`, with a content type that the caller chooses. In `media`, ranges come last. Handlers receive
 * the declared content type, or for a range the sent content type.
 */
export function mediaChoice({ required }: Pick<RequestBody, 'required'>, media: readonly Media[]): ClientBody {
  const [type = '', ...aliases] = media.flatMap(each => [each.type, ...(each.aliases ?? [])])
  const pick = picker(media)
  return {
    required,
    type,
    aliases,
    kind: {
      name: 'choice',
      write(value, headers) {
        const { body, contentType } = taken(value)
        headers.set('content-type', String(contentType))
        return writeMedia(written(pick, contentType), body, headers)
      },
      async read(chunks, reading) {
        const sent = reading.headers['content-type'] ?? type
        const picked = pick(sent)
        const body = await readBody(chunks, picked, false, reading)
        return body === undefined ? undefined : { contentType: seenType(picked, sent), body }
      },
    },
    write: toBody,
  }
}

/** Returns the media type of a value that a caller or a handler gives. Throws `TypeError` for an undeclared type. */
function written<Media>(pick: (contentType: string) => Media, contentType: unknown): Media {
  try {
    return pick(String(contentType))
  } catch {
    throw new TypeError(`the content type "${contentType}" of the body is not declared`)
  }
}

/**
 * Returns the codec of an answer with several media types, or with a range. The value is `{ contentType, body }`:
 * handlers choose the content type, and clients receive the declared content type, or for a range the sent content
 * type. Clients reject an undeclared content type, and read an answer without a type as the first.
 */
export function answerChoice(media: readonly AnswerMedia[]): ChoiceCodec {
  const pick = picker(media)
  return {
    name: 'choice',
    pick: contentType => written(pick, contentType),
    types: media.flatMap(({ aliases = [], type }) => [type, ...aliases]),
    async readAnswer(body, answer) {
      const sent = answer.headers.get('content-type') ?? media[0]?.type ?? ''
      const picked = pick(sent)
      const { kind } = picked
      const value = kind === 'json' ? JSON.parse(await new Response(body).text()) : await kind.readAnswer(body, answer)
      return { contentType: seenType(picked, sent), body: value }
    },
  }
}

/** Checks a body by the check of its content type. `checks` is keyed by content type. */
export function checkChoice(value: unknown, faults: Faults, checks: Readonly<Record<string, Check>>): boolean {
  const { body, contentType } = taken(value)
  const check = checks[bestOf(Object.keys(checks), String(contentType)) ?? '']
  return check ? check(body, faults) : faults.add('body', 'must have one of the declared content types')
}

/**
 * Returns those of `types` that a header `Accept` allows, the preferred first (RFC 9110 §12.5.1); all in their order for
 * an absent or empty header. A handler chooses the media type of its answer so:
 * `acceptable(['application/json', 'text/csv'] as const, context.accept)[0]`.
 */
export function acceptable<Type extends string>(types: readonly Type[], accept: string | undefined): readonly Type[] {
  const ranges = accept?.split(',').flatMap(part => {
    const [, range = '', weight = '1'] = /^(.*?)(?:;\s*q\s*=\s*([\d.]+)[^;]*)?$/is.exec(part.trim()) ?? []
    return range ? [{ range, weight: Number(weight) }] : []
  })
  if (!ranges?.length) return types
  const weightOf = (type: string): number => {
    const fitting = ranges.filter(({ range }) => rankOf(range, type) >= 0 || rankOf(type, range) >= 0)
    const best = bestOf(
      fitting.map(({ range }) => range),
      type,
    )
    return (fitting.find(({ range }) => range === best) ?? fitting[0])?.weight ?? 0
  }
  const weighed = types.map(type => ({ type, weight: weightOf(type) })).filter(({ weight }) => weight > 0)
  return weighed.toSorted((a, b) => b.weight - a.weight).map(({ type }) => type)
}
