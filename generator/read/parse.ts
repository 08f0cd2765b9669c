import type { Options } from '@apidevtools/swagger-parser'
import { type Message, messages } from '../diagnostics.ts'
import { hasDuplicateKeys } from './json-keys.ts'
import { mergeKeys } from './merge-keys.ts'
import { isJson } from './places.ts'
import { isRecord, type Members } from './pointer.ts'
import type { Position } from '../position.ts'

/** The result of a parse: plain data, or the faults of the text with their positions. */
export type Parsed =
  | { readonly kind: 'data'; readonly root: Members }
  | { readonly kind: 'faults'; readonly faults: readonly { readonly message: Message; readonly position: Position }[] }

/**
 * Parses a text as JSON if the file name ends in `.json`, else as YAML 1.2, in which `no`, `on` and dates are text; merge
 * keys (`<<`), which older versions of YAML have, are read too.
 * `file` is the file name in the faults.
 */
export async function parse(file: string, text: string): Promise<Parsed> {
  const known = text.trim() === '' ? messages.fileEmpty() : /^\s*<[!?a-z]/i.test(text) ? messages.markup() : undefined
  if (known) return startFault(file, known)
  const parsed = isJson(file) ? parseJson(text) : await parseYaml(text)
  if (parsed instanceof Error) return faultsOf(file, text, parsed)
  const { root } = parsed
  if (!isJson(file) && text.includes('<<') && !mergeKeys(root, 10 * text.length))
    return startFault(file, messages.aliasBomb())
  return isRecord(root) ? { kind: 'data', root } : startFault(file, messages.notAnObject())
}

type Faults = Extract<Parsed, { kind: 'faults' }>

const startFault = (file: string, message: Message): Faults => ({
  kind: 'faults',
  faults: [{ message, position: { file, line: 1, column: 1 } }],
})

/** The value of a text, which may be no document. */
interface Value {
  readonly root: unknown
}

/**
 * Parses JSON as the parser of swagger-parser does, without loading it: its modules cost more time than a document of
 * usual size.
 */
function parseJson(text: string): Value | Error {
  try {
    const root: unknown = JSON.parse(text)
    return hasDuplicateKeys(text, root) ? duplicateKeys : { root }
  } catch (error) {
    if (error instanceof SyntaxError) return error
    throw error
  }
}

async function parseYaml(text: string): Promise<Value | Error> {
  const { default: SwaggerParser } = await import('@apidevtools/swagger-parser')
  const parser = new SwaggerParser()
  try {
    await parser.parse('/document.yaml', parserOptions(text))
  } catch (error) {
    if (error instanceof Error && error.name === 'ParserError') return error
    // The parser also refuses a text that is no complete OpenAPI document. An incomplete text can be a valid part of a
    // document, and `check` reports the faults of entries with their positions.
    if (!(error instanceof SyntaxError)) throw error
  }
  return { root: parser.api }
}

/** The fault of a JSON text with equal names in an object, if the text is too deep for `syntaxFaults` to find the place. */
const duplicateKeys = new Error('an object has two members of the same name')

/**
 * Returns options that pass the text to the parser, so that the parser opens no file: `load` has read the text within
 * its limits.
 */
const parserOptions = (text: string): Options => ({
  parse: { json: false },
  resolve: { external: false, http: false, file: { order: 1, canRead: true, read: () => text } },
})

async function faultsOf(file: string, text: string, error: Error): Promise<Faults> {
  const { syntaxFaults } = await import('./yaml-places.ts')
  const found = syntaxFaults(file, text)
  const faults = found.map(fault => ({ message: messages.syntax(fault.text), position: fault.position }))
  if (faults.length > 0) return { kind: 'faults', faults }
  const [first = ''] = error.message.replace(/^Error parsing [^:]*: /, '').split('\n')
  const [, line = '1', column = '1'] = /\((?:line )?(\d+)(?::| column )(\d+)\)/.exec(first) ?? []
  const position = { file, line: Number(line), column: Number(column) }
  return { kind: 'faults', faults: [{ message: messages.syntax(first), position }] }
}
