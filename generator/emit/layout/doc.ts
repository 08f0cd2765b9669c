import { widthOf } from './width.ts'

/**
 * Text with possible line breaks. The combinators are those of prettier's own layout that the emitters need, after P.
 * Wadler, "A prettier printer". The output of the combinators equals the output of prettier, so no file is formatted
 * afterwards.
 */
export type Doc =
  | string
  | readonly Doc[]
  /** `asLast` replaces the group when the group is the last argument of a call that stays on the line of the callee. */
  | Group
  | { readonly kind: 'indent'; readonly of: Doc }
  /** A blank or no text in a flat group, and a line break in a broken group. */
  | { readonly kind: 'line'; readonly flat: string }
  | { readonly kind: 'if-broken'; readonly broken: Doc; readonly flat: Doc }
  /** A blank, or a line break with indentation if not even the start of `of` fits on the line. */
  | { readonly kind: 'hang'; readonly of: Doc }
  /** Words with commas: all on one line when flat; when broken, as many on each line as fit. */
  | { readonly kind: 'fill'; readonly words: readonly string[] }
  /**
   * A call: on one line if the call fits; otherwise only the last argument `last` is broken if `head` fits before it;
   * otherwise as `broken`.
   */
  | { readonly kind: 'hug'; readonly head: Doc; readonly last: Group; readonly broken: Doc }

export type Group = { readonly kind: 'group'; readonly of: Doc; readonly broken: boolean; readonly asLast?: Doc }

/** Makes a group: either all line breaks of a group are used or none; `broken` uses them at any width. */
export const group = (of: Doc, broken = false): Group => ({ kind: 'group', of, broken })
export const indent = (of: Doc): Doc => ({ kind: 'indent', of })
export const ifBroken = (broken: Doc, flat: Doc = ''): Doc => ({ kind: 'if-broken', broken, flat })
export const hang = (of: Doc): Doc => ({ kind: 'hang', of })
export const fill = (words: readonly string[]): Doc => ({ kind: 'fill', words })
export const line: Doc = { kind: 'line', flat: ' ' }
export const softline: Doc = { kind: 'line', flat: '' }

/** Returns `docs` with `separator` between them. */
export function join(separator: Doc, docs: readonly Doc[]): Doc {
  return docs.map((doc, i) => (i === 0 ? doc : [separator, doc]))
}

/** The maximal width of lines in columns (.prettierrc.json). */
const width = 120

type Mode = 'flat' | 'broken'
type Command = readonly [indentation: number, mode: Mode, doc: Doc]

/** Prints `doc` from column `column` on. Indents further lines by `indentation` blanks. */
export function print(doc: Doc, indentation = 0, column = indentation): string {
  if (typeof doc === 'string') return doc
  let out = ''
  const commands: Command[] = [[indentation, 'broken', doc]]
  let position = column
  for (let command = commands.pop(); command; command = commands.pop()) {
    const [level, mode, of] = command
    if (typeof of === 'string' || mode === 'flat') {
      const text = flat(of)
      out += text
      position += widthOf(text)
    } else if (!('kind' in of)) {
      pushAll(commands, of, level, mode)
    } else if (of.kind === 'line') {
      out += `\n${' '.repeat(level)}`
      position = level
    } else if (of.kind === 'group') {
      const row = of.broken ? undefined : rowOf(of.of, width - position)
      if (row && fits(row.left, commands)) {
        out += row.text
        position = width - row.left
      } else commands.push([level, 'broken', of.of])
    } else if (of.kind === 'fill') {
      const text = filled(of.words, level, position)
      out += text
      position = text.includes('\n') ? text.length - text.lastIndexOf('\n') - 1 : position + text.length
    } else if (of.kind === 'hang') {
      commands.push([level, mode, of.of])
      const fitsBeside = fits(width - position - 1, commands)
      if (!fitsBeside) commands.splice(-1, 1, [level + 2, mode, of.of])
      commands.push([level + 2, fitsBeside ? 'flat' : 'broken', line])
    } else if (of.kind === 'hug') {
      pushHug(commands, of, level, mode, width - position)
    } else {
      commands.push(inner(of, level, mode))
    }
  }
  return out
}

/** Whether the following text fits into `room` columns, up to the next possible break. */
function fits(room: number, rest: readonly Command[]): boolean {
  let left = room
  for (let i = rest.length - 1; left >= 0; i -= 1) {
    const command = rest[i]
    if (!command) return true
    const [, mode, of] = command
    left = mode === 'flat' ? leftBehind(of, left) : leftBefore(of, left)
    if (left === Infinity) return true
  }
  return false
}

/** The text of a doc on one line, and the columns that remain after the text. */
interface Row {
  text: string
  left: number
}

/** Returns `doc` on one line; undefined if `doc` takes more than `room` columns or must break. */
function rowOf(doc: Doc, room: number): Row | undefined {
  const row = { text: '', left: room }
  return extend(row, doc) ? row : undefined
}

/** Adds a doc to a row, and returns whether the doc fits; what does not fit is not added as a whole. */
function extend(row: Row, doc: Doc): boolean {
  if (typeof doc === 'string') {
    row.text += doc
    row.left -= widthOf(doc)
    return row.left >= 0
  }
  if (!('kind' in doc)) {
    for (const each of doc) if (!extend(row, each)) return false
    return true
  }
  switch (doc.kind) {
    case 'group':
      return !doc.broken && extend(row, doc.of)
    case 'indent':
      return extend(row, doc.of)
    case 'line':
      return extend(row, doc.flat)
    case 'if-broken':
      return extend(row, doc.flat)
    case 'hang':
      return extend(row, ' ') && extend(row, doc.of)
    case 'fill':
      return extend(row, doc.words.join(', '))
    case 'hug':
      return extend(row, doc.head) && extend(row, doc.last) && extend(row, ')')
  }
}

/** Returns the columns that remain of `room` after `doc` on one line; negative if `doc` does not fit or must break. */
const leftBehind = (doc: Doc, room: number): number => rowOf(doc, room)?.left ?? -1

/**
 * Returns the columns that remain of `room` at the first possible break of `doc`; `Infinity` if the text before a break
 * fits.
 */
function leftBefore(doc: Doc, room: number): number {
  if (typeof doc === 'string') return room - widthOf(doc)
  if (!('kind' in doc)) {
    let left = room
    for (const each of doc) {
      if (left < 0 || left === Infinity) return left
      left = leftBefore(each, left)
    }
    return left
  }
  switch (doc.kind) {
    case 'group':
    case 'indent':
      return leftBefore(doc.of, room)
    case 'line':
    case 'hang':
      return Infinity
    case 'if-broken':
      return leftBefore(doc.broken, room)
    case 'fill':
      return room - doc.words.join(', ').length
    case 'hug':
      return leftBefore(doc.broken, room)
  }
}

type Hug = Extract<Doc, { kind: 'hug' }>

const hugged = ({ head }: Hug, last: Doc): Doc => [head, last, ')']

/**
 * Pushes the layout of a call: all arguments on one line, or only the last argument broken, or each argument on a line.
 */
function pushHug(commands: Command[], of: Hug, level: number, mode: Mode, room: number): void {
  const whole = hugged(of, of.last)
  if (mode === 'flat' || fits(leftBehind(whole, room), commands)) commands.push([level, 'flat', whole])
  else if (fits(leftBehind(of.head, room), [[level, 'broken', of.last.of]])) {
    commands.push([level, 'broken', ')'], [level, 'broken', group(of.last.of, true)], [level, 'flat', of.head])
  } else commands.push([level, 'broken', of.broken])
}

/** Prints a doc on one line of any length. */
export function flat(doc: Doc): string {
  if (typeof doc === 'string') return doc
  if (!('kind' in doc)) {
    // Concatenation is faster here than a list of the parts.
    let text = ''
    for (const each of doc) text += flat(each)
    return text
  }
  switch (doc.kind) {
    case 'group':
    case 'indent':
      return flat(doc.of)
    case 'line':
      return doc.flat
    case 'if-broken':
      return flat(doc.flat)
    case 'hang':
      return ` ${flat(doc.of)}`
    case 'fill':
      return doc.words.join(', ')
    case 'hug':
      return flat(hugged(doc, doc.last))
  }
}

/** Prints words with commas, on lines indented by `level` blanks. The first word begins at `column`. */
function filled(words: readonly string[], level: number, column: number): string {
  let text = ''
  let position = column
  for (const [i, word] of words.entries()) {
    const fitsBeside = i > 0 && position + word.length + 2 <= width
    text += i === 0 ? `${word},` : fitsBeside ? ` ${word},` : `\n${' '.repeat(level)}${word},`
    position = fitsBeside || i === 0 ? position + word.length + 1 + Number(i > 0) : level + word.length + 1
  }
  return text
}

function inner(of: Extract<Doc, { kind: 'indent' | 'if-broken' }>, level: number, mode: Mode): Command {
  if (of.kind === 'indent') return [level + 2, mode, of.of]
  return [level, mode, mode === 'flat' ? of.flat : of.broken]
}

function pushAll(commands: Command[], docs: readonly Doc[], level: number, mode: Mode): void {
  for (let i = docs.length - 1; i >= 0; i -= 1) {
    const doc = docs[i]
    if (doc !== undefined) commands.push([level, mode, doc])
  }
}
