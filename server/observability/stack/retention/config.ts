import { parse } from 'yaml'
import { MalformedResult } from '../metrics/result-values.ts'

/** The longest text of a value that is read. */
const maxValue = 200

/** A member of a map: what follows its name on the line, and the deeper lines below. */
interface ConfigMember {
  readonly rest: string
  readonly below: readonly string[]
}

/**
 * A configuration in YAML. Its maps must be in block style, as programs in Go write them. Only single values go to the
 * parser of YAML, which needs minutes for some hostile texts of the size of a configuration.
 */
export class Config {
  readonly #lines: readonly string[]

  constructor(text: string) {
    this.#lines = text.split('\n').filter(isContent)
  }

  /**
   * Returns the text of the value at a path of names; undefined without such a value. Throws MalformedResult for a value
   * that is no short text.
   */
  value(path: readonly string[]): string | undefined {
    const written = this.#member(path)?.rest.trim() ?? ''
    if (written === '') return undefined
    const value = written.length > maxValue ? undefined : parsed(written)
    if (typeof value === 'string') return value
    throw new MalformedResult()
  }

  /** Returns whether there is a member at a path of names. */
  has(path: readonly string[]): boolean {
    return this.#member(path) !== undefined
  }

  #member(path: readonly string[]): ConfigMember | undefined {
    let found: ConfigMember | undefined = { rest: '', below: this.#lines }
    for (const name of path) found = found && memberOf(found.below, name)
    return found
  }
}

/** Returns a member of the map that begins with the first of `lines`. */
function memberOf(lines: readonly string[], name: string): ConfigMember | undefined {
  const indent = indentOf(lines[0] ?? '')
  const starts = [name, `"${name}"`, `'${name}'`].map(each => `${' '.repeat(indent)}${each}:`)
  const startOf = (line: string) => starts.find(each => line.startsWith(each) && /^\s?$/.test(line.charAt(each.length)))
  const at = lines.findIndex(line => startOf(line) !== undefined)
  const line = lines[at]
  if (line === undefined) return undefined
  const end = lines.findIndex((each, i) => i > at && indentOf(each) <= indent)
  return { rest: line.slice(startOf(line)?.length), below: lines.slice(at + 1, end < 0 ? undefined : end) }
}

/** Whether a line is neither blank nor a comment nor the beginning of a document. */
const isContent = (line: string): boolean => /^ *[^\s#]/.test(line) && !line.startsWith('---')

/** Returns the number of spaces before the content of a line. */
const indentOf = (line: string): number => Math.max(0, line.search(/[^ ]/))

/** Returns the value of a short text of YAML, whose scalars are all texts; undefined for other text. */
function parsed(text: string): unknown {
  try {
    return parse(text, { schema: 'failsafe', logLevel: 'error' })
  } catch {
    return undefined
  }
}
