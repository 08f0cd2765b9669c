import { bodyField, gather, readJson, readText } from './body.ts'
import { plainJson, setMember } from './json.ts'
import type { JsonForm } from './parameters/types.ts'
import { covers } from './media.ts'
import type { Codec, Reading } from './media.ts'
import { formReader, readScalar } from './parameters/read.ts'
import { deepPairs, styledPairs, unreserved } from './parameters/write.ts'
import { isRecord } from './validation.ts'
import type { Scalar, Field } from './parameters/types.ts'

/**
 * Returns the codec of `application/x-www-form-urlencoded`: an object whose members are written like query parameters.
 * Undeclared members have the type `further`; a repeated member is a list. Absent and null members are left out.
 */
export function formFields(fields: readonly Field[], further: Scalar = 'string'): Codec {
  const read = formReader(fields, further)
  return {
    name: 'form',
    write(value) {
      if (!isRecord(value)) throw new TypeError('the body must be an object')
      return Object.entries(value)
        .flatMap(([name, member]) => {
          const field: Field = fields.find(each => each.name === name) ?? { name, type: { array: further } }
          const parameter = { ...field, in: 'query' } as const
          const pairs = field.style === 'deepObject' ? deepPairs(parameter, member) : styledPairs(parameter, member)
          return field.reserved ? unreserved(field, pairs) : pairs
        })
        .join('&')
    },
    async read(body, reading) {
      const text = await readText(body, reading)
      return text === undefined ? undefined : read(text, reading.faults)
    },
  }
}

/**
 * A file in a form. Callers give any `Blob`; handlers get a `File` in memory, with its name and the sent content type.
 */
export type FormFile = Blob & { readonly name?: string }

/**
 * The type of the value of a part. A part of the type `any` is a file, or text, or JSON if its file has this content
 * type.
 */
export type PartType = Scalar | 'json' | 'file' | 'any'

/** A member of a form: one part, or a part for each item of a list. */
export interface Part {
  readonly name: string
  readonly type: PartType | { readonly array: PartType }
  /** The allowed content types, or ranges of content types, of files in the part; empty or absent: any type. */
  readonly accept?: readonly string[]
  /** The content type of text or JSON that clients send, if it is not the usual content type. */
  readonly contentType?: string
  /** True if an absent part means null. */
  readonly orNull?: true
  /** The form of JSON with 64-bit integers; absent: `JSON`. */
  readonly json?: JsonForm
}

/**
 * Returns the codec of `multipart/form-data`: an object whose members are parts. Text is coerced by the declared type,
 * JSON is parsed, and files keep their order. Undeclared members have the type `further`, a repeated member being a
 * list. Browsers send a file without a name and bytes for no file, so that such a file counts as absent. A form is held in memory, within `formBytes` and `formParts` of the
 * limits.
 */
export function multipartForm(parts: readonly Part[], further: PartType = 'any'): Codec {
  return {
    name: 'multipart',
    write(value, headers) {
      // The platform chooses the boundary and writes it into the content type.
      headers.delete('content-type')
      if (value instanceof FormData) return value
      if (!isRecord(value)) throw new TypeError('the body must be an object or FormData')
      const boundary = crypto.getRandomValues(new Uint32Array(4)).join('-')
      const chunks = Object.entries(value).flatMap(([name, member]) => {
        const part = parts.find(each => each.name === name) ?? { name, type: further }
        const items: readonly unknown[] = Array.isArray(member) && part.type !== 'json' ? member : [member]
        return items.flatMap(item => (item === undefined || item === null ? [] : encoded(part, item, boundary)))
      })
      headers.set('content-type', `multipart/form-data; boundary=${boundary}`)
      return new Blob([...chunks, `--${boundary}--\r\n`])
    },
    async read(body, reading) {
      const bytes = await gather(body, reading.limits.formBytes, reading)
      const form = bytes && (await formOf(bytes, reading))
      if (form === undefined) return undefined
      const value: Record<string, unknown> = {}
      for (const name of new Set(form.keys())) {
        const part = parts.find(each => each.name === name) ?? { type: further }
        const member = await readMember(part, name, form.getAll(name), reading)
        if (member !== undefined) setMember(value, name, member)
      }
      for (const { name, orNull } of parts) if (orNull && !Object.hasOwn(value, name)) setMember(value, name, null)
      return value
    },
  }
}

/**
 * Returns a part of a form with its delimiter. The platform's `FormData` would give JSON a file name, so that many
 * servers take it for a file, and would change line ends.
 */
function encoded({ accept = [], contentType, json = plainJson, name, type }: Part, item: unknown, boundary: string) {
  const isFile = item instanceof Blob
  const isJson = !isFile && (typeof item === 'object' || inner(type) === 'json')
  // A part whose type the server does not know is JSON by its content type, which servers see of files only.
  const fileName = isFile ? nameOf(item) : isJson && inner(type) === 'any' ? 'blob' : undefined
  const [only = anyBytes] = accept.length === 1 ? accept : []
  const ofFile = (file: Blob) => file.type || (only.includes('*') ? anyBytes : only)
  const sent = isFile ? ofFile(item) : (contentType ?? (isJson ? 'application/json' : ''))
  const head = [
    `--${boundary}\r\ncontent-disposition: form-data; name="${escaped(name)}"`,
    ...(fileName === undefined ? [] : [`; filename="${escaped(fileName)}"`]),
    ...(sent ? [`\r\ncontent-type: ${sent}`] : []),
    '\r\n\r\n',
  ]
  return [...head, isFile ? item : isJson ? json.write(item) : String(item), '\r\n']
}

const anyBytes = 'application/octet-stream'

const inner = (type: Part['type']): PartType => (typeof type === 'object' ? type.array : type)

const nameOf = (file: FormFile): string => file.name ?? 'blob'

/** Returns a name in the form that browsers send in a header of a part. */
const escaped = (name: string): string => name.replace(/["\r\n]/g, encodeURIComponent)

/**
 * Returns the parsed form; adds a fault and returns undefined for a malformed form. The platform's parser gets only the
 * boundary of the content type, so the parser finds the parts that are counted here.
 */
async function formOf(bytes: Uint8Array<ArrayBuffer>, { faults, headers, limits }: Reading) {
  const [, boundary] = /;\s*boundary="?([\w'()+,./:=?-]{1,70})/i.exec(headers['content-type'] ?? '') ?? []
  if (boundary === undefined) return void faults.add(bodyField, 'must have a boundary in its content type')
  const delimiters = new TextDecoder('latin1').decode(bytes).split(`--${boundary}`, limits.formParts + 3)
  if (delimiters.length > limits.formParts + 2) {
    return void faults.add(bodyField, `must have at most ${limits.formParts} parts`)
  }
  try {
    const type = `multipart/form-data; boundary="${boundary}"`
    return await new Response(bytes, { headers: { 'content-type': type } }).formData()
  } catch {
    return void faults.add(bodyField, 'must be valid multipart/form-data')
  }
}

async function readMember(
  part: Partial<Part>,
  name: string,
  sent: readonly FormDataEntryValue[],
  reading: Reading,
): Promise<unknown> {
  const field = name.slice(0, 80)
  // Some parsers return an empty text for a file without a name.
  const isFile = part.type !== undefined && inner(part.type) === 'file'
  const entries = sent.filter(entry => (typeof entry === 'string' ? !isFile || entry : entry.name || entry.size > 0))
  if (entries.length === 0) return undefined
  const isList = part.name === undefined ? entries.length > 1 : typeof part.type === 'object'
  if (!isList && entries.length > 1) return void reading.faults.add(field, 'must be given once')
  const items: unknown[] = []
  for (const [index, entry] of entries.entries()) {
    items.push(await readItem(entry, isList ? `${field}[${index}]` : field, part, reading))
  }
  return isList ? items : items[0]
}

async function readItem(
  entry: FormDataEntryValue,
  field: string,
  { type: declared = 'any', accept = [], json = plainJson }: Partial<Part>,
  reading: Reading,
): Promise<unknown> {
  const { faults } = reading
  const isFile = typeof entry !== 'string'
  const stated = inner(declared)
  const unknown = isFile ? (covers('application/json', entry.type) ? 'json' : 'file') : 'string'
  const type = stated === 'any' ? unknown : stated
  if (type === 'file') {
    if (!isFile) return void faults.add(field, 'must be a file, with a file name')
    const isAccepted = accept.length === 0 || accept.some(range => covers(range, entry.type))
    return isAccepted ? entry : void faults.add(field, `must have the content type ${accept.join(' or ')}`)
  }
  const text = isFile ? await entry.text() : entry
  // The parser has replaced invalid UTF-8 by U+FFFD.
  if (text.includes('\ufffd')) return void faults.add(field, 'must be valid UTF-8')
  return type === 'json' ? readJson(text, field, reading, json.parse) : readScalar(type, text)
}
