import type { Content, Operation, RequestBody, Response } from '../model/types.ts'
import { isStream } from './answer-type.ts'
import { checkName } from './names.ts'
import type { Emission } from './emission.ts'
import { eventData, eventForm } from './event-form.ts'
import type { OutputFile } from './file.ts'
import { fieldOf, further, partOf, partType, propertiesOf } from './form-fields.ts'
import { pure } from './hoisted.ts'
import { int64Codec } from './int64/places.ts'
import { type Doc, flat } from './layout/doc.ts'
import { array, call, object, quote, texts } from './layout/typescript.ts'
import { scalarOf } from './parameter-type.ts'
import type { RuntimeSymbol } from './runtime-symbols.ts'
import type { BodyView, MediaView } from './views/routes.ts'

/**
 * Returns the template data of a request's body: its single media type, or the choice by content type among several
 * media types or within a range.
 */
export function requestBodyOf(operation: Operation, body: RequestBody, emission: Emission, file: OutputFile): BodyView {
  const check = (content: Content): string | undefined =>
    isStream(content) ? file.from('validators', checkName(itemName(operation, content, emission)), false) : undefined
  const { content, contents, isTagged } = body
  const sent = isTagged ? contents : [content]
  const media = sent.map(each => mediaOf(each, emission, file, check(each)))
  return {
    media,
    required: String(body.required),
    choice: isTagged ? file.runtime('mediaChoice') : '',
    write: isTagged ? '' : file.runtime(media[0]?.kind === quote('json') ? 'toJson' : 'toBody'),
  }
}

/** Returns the name after which the check of a stream's items is named. No type of the document has this name. */
export function itemName({ requestName }: Operation, { kind }: Content, { taken }: Emission): string {
  let name = `${requestName}${kind === 'lines' ? 'Line' : 'Event'}`
  while (taken.has(name)) name += '_'
  return name
}

/**
 * Returns the template data of the media type of an answer: its single type, or the choice by content type among several
 * types or within a range. Clients read JSON with 64-bit integers by a codec that refuses integers beyond 2^53.
 */
export function answerMediaOf(
  { contents, isTagged }: Response,
  emission: Emission,
  file: OutputFile,
): MediaView | false {
  const media = contents.map(content => {
    const view = mediaOf(content, emission, file)
    const isExact = emission.exact.has(content) && emission.options.int64 === undefined
    return isExact ? { ...view, kind: file.runtime('exactJson') } : view
  })
  const [first] = media
  if (!first) return false
  // Servers send the first type, and clients read all.
  if (!isTagged) return { ...first, aliases: '' }
  const rows = media.map(({ aliases, kind, type }) =>
    object([`type: ${type}`, ...(aliases === '' ? [] : [`aliases: ${aliases}`]), `kind: ${kind}`]),
  )
  // Clients accept `application/json` in any case.
  const others = contents.map(({ type }) => type).filter(type => type !== 'application/json')
  return {
    type: quote(others.join(', ')),
    aliases: '',
    kind: flat(call(codec('answerChoice', file), [array(rows, true)])),
  }
}

/** Returns the template data of a media type and its codec. */
export function mediaOf(content: Content, emission: Emission, file: OutputFile, check?: string): MediaView {
  const { aliases, type } = content
  return {
    type: quote(type),
    aliases: aliases ? texts(aliases) : '',
    kind: flat(kindOf(content, emission, file, check)),
  }
}

function kindOf(content: Content, emission: Emission, file: OutputFile, check?: string): Doc {
  const { kind, schema } = content
  switch (kind) {
    case 'json':
      return int64Codec(schema, emission, file) ?? quote(kind)
    case 'text':
      return file.runtime('plainText')
    case 'bytes':
      return file.runtime('rawBytes')
    case 'lines':
      return call(codec('jsonLines', file), itemArguments(check, int64Codec(schema, emission, file)))
    case 'events': {
      const form = eventForm(schema, emission)
      const args = itemArguments(check, int64Codec(eventData(schema, emission), emission, file))
      return call(codec('eventStream', file), form.length === 0 && args.length === 0 ? [] : [object(form), ...args])
    }
    case 'form':
      return codecOf('formFields', fieldOf, further(schema, emission, scalarOf), content, emission, file)
    case 'multipart':
      return codecOf('multipartForm', partOf, further(schema, emission, partType), content, emission, file)
  }
}

/** Returns the last arguments of a codec of items: their check, and their form of JSON. */
const itemArguments = (check: string | undefined, json: string | undefined): readonly Doc[] =>
  json === undefined ? (check === undefined ? [] : [check]) : [check ?? 'undefined', json]

/**
 * Returns a call that creates a codec when the module loads. A bundler drops the call together with its unused route.
 */
const codec = (symbol: RuntimeSymbol, file: OutputFile): string => `${pure} ${file.runtime(symbol)}`

function codecOf(
  symbol: 'formFields' | 'multipartForm',
  memberOf: typeof fieldOf,
  others: string | undefined,
  { schema, encoding = [] }: Content,
  emission: Emission,
  file: OutputFile,
): Doc {
  const rows = [...propertiesOf(schema, emission)].map(([name, property]) =>
    memberOf(
      property,
      encoding.find(each => each.name === name),
      emission,
      file,
    ),
  )
  const list = array(rows, rows.length > 1)
  const made = codec(symbol, file)
  return others === undefined ? [made, '(', list, ')'] : call(made, [list, others])
}
