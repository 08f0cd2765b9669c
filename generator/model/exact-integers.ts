import { member } from '../read/located.ts'
import { own } from '../read/pointer.ts'
import type { Located, SourceFile } from '../read/types.ts'

/**
 * Returns the decimal text of an integer that a number may only hold as another integer, as the document has the text.
 * Returns undefined for every other value.
 */
export function exactText(at: Located | undefined): string | undefined {
  if (typeof at?.value !== 'number' || !Number.isInteger(at.value) || Number.isSafeInteger(at.value)) return undefined
  const { column, line } = at.file.positionOf(at.pointer)
  const written = linesOf(at.file)[line - 1]?.slice(column - 1) ?? ''
  // The position of a member is that of its name, and the position of an element that of its value.
  const [, text] = /^(?:["']?[\w$-]+["']?\s*:\s*)?(-?\d+)(?![\w.])/.exec(written) ?? []
  return text !== undefined && Number(text) === at.value ? text : String(BigInt(at.value))
}

const known = new WeakMap<SourceFile, readonly string[]>()

/** Returns the lines of a file, which is split once. */
function linesOf(file: SourceFile): readonly string[] {
  const lines = known.get(file) ?? file.text.split('\n')
  known.set(file, lines)
  return lines
}

/** Returns the exact texts of the bounds that a number cannot hold. */
export function exactBounds(at: Located): { readonly minimum?: string; readonly maximum?: string } {
  const [minimum, maximum] = [boundOf(at, 'minimum', 'exclusiveMinimum'), boundOf(at, 'maximum', 'exclusiveMaximum')]
  return { ...(minimum !== undefined && { minimum }), ...(maximum !== undefined && { maximum }) }
}

/**
 * Returns the exact text of a bound, which in OpenAPI 3.1 may stand in the exclusive keyword. Returns undefined if two
 * bounds compete.
 */
function boundOf(at: Located, name: string, exclusive: string): string | undefined {
  if (typeof own(at.value, exclusive) !== 'number') return exactText(member(at, name))
  return own(at.value, name) === undefined ? exactText(member(at, exclusive)) : undefined
}
