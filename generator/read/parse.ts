import SwaggerParser from '@apidevtools/swagger-parser'
import { type Message, messages } from '../diagnostics.ts'
import type { Position } from '../model/types.ts'
import { syntaxFaults } from './places.ts'
import { isRecord, type Members } from './pointer.ts'

/** What became of a text: plain data, or what is wrong with it and where. */
export type Parsed =
  | { readonly kind: 'data'; readonly root: Members }
  | { readonly kind: 'faults'; readonly faults: readonly { readonly message: Message; readonly position: Position }[] }

/**
 * Reads a text as YAML 1.2 (`no`, `on` and dates are text), or as JSON where the file's name ends so. `file` is the
 * name that faults carry.
 */
export async function parse(file: string, text: string): Promise<Parsed> {
  const parser = new SwaggerParser()
  const isJson = file.toLowerCase().endsWith('.json')
  try {
    await parser.parse(isJson ? '/document.json' : '/document.yaml', parserOptions(text, isJson))
  } catch (error) {
    if (error instanceof Error && error.name === 'ParserError')
      return { kind: 'faults', faults: faultsOf(file, text, error) }
    // What else it refuses is no whole document of OpenAPI: parts of one are none, and entries are checked with places.
    if (!(error instanceof SyntaxError)) throw error
  }
  const root: unknown = parser.api
  if (isRecord(root)) return { kind: 'data', root }
  return { kind: 'faults', faults: [{ message: messages.notAnObject(), position: { file, line: 1, column: 1 } }] }
}

/** The text is read already, within limits: the parser gets it from here whatever the name says. */
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
