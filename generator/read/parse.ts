import SwaggerParser from '@apidevtools/swagger-parser'
import { type Message, messages } from '../diagnostics.ts'
import { hasDuplicateKeys } from './json-keys.ts'
import { mergeKeys } from './merge-keys.ts'
import { syntaxFaults } from './places.ts'
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
  const parser = new SwaggerParser()
  const isJson = file.toLowerCase().endsWith('.json')
  const known = text.trim() === '' ? messages.fileEmpty() : /^\s*<[!?a-z]/i.test(text) ? messages.markup() : undefined
  if (known) return { kind: 'faults', faults: [{ message: known, position: { file, line: 1, column: 1 } }] }
  try {
    await parser.parse(isJson ? '/document.json' : '/document.yaml', parserOptions(text, isJson))
  } catch (error) {
    if (error instanceof Error && error.name === 'ParserError')
      return { kind: 'faults', faults: faultsOf(file, text, error) }
    // The parser also refuses a text that is no complete OpenAPI document. An incomplete text can be a valid part of a
    // document, and `check` reports the faults of entries with their positions.
    if (!(error instanceof SyntaxError)) throw error
  }
  if (isJson && hasDuplicateKeys(text)) return { kind: 'faults', faults: faultsOf(file, text, duplicateKeys) }
  const root: unknown = parser.api
  if (!isJson && text.includes('<<') && !mergeKeys(root, 10 * text.length)) {
    return { kind: 'faults', faults: [{ message: messages.aliasBomb(), position: { file, line: 1, column: 1 } }] }
  }
  if (isRecord(root)) return { kind: 'data', root }
  return { kind: 'faults', faults: [{ message: messages.notAnObject(), position: { file, line: 1, column: 1 } }] }
}

/** The fault of a JSON text with equal names in an object, if the text is too deep for `syntaxFaults` to find the place. */
const duplicateKeys = new Error('an object has two members of the same name')

/**
 * Returns options that pass the text to the parser, so that the parser opens no file: `load` has read the text within
 * its limits.
 */
const parserOptions = (text: string, isJson: boolean): SwaggerParser.Options => ({
  parse: isJson ? { yaml: false } : { json: false },
  resolve: { external: false, http: false, file: { order: 1, canRead: true, read: () => text } },
})

function faultsOf(file: string, text: string, error: Error): Extract<Parsed, { kind: 'faults' }>['faults'] {
  const faults = syntaxFaults(file, text)
  if (faults.length > 0)
    return faults.map(fault => ({ message: messages.syntax(fault.text), position: fault.position }))
  const [first = ''] = error.message.replace(/^Error parsing [^:]*: /, '').split('\n')
  const [, line = '1', column = '1'] = /\((?:line )?(\d+)(?::| column )(\d+)\)/.exec(first) ?? []
  return [{ message: messages.syntax(first), position: { file, line: Number(line), column: Number(column) } }]
}
