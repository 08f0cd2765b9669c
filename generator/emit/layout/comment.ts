/** The maximal width of a comment's lines in columns, indentation included. */
const width = 120

/** Matches control characters, which hide text, and unpaired surrogates, which no file can contain. */
const unprintable = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/gu

/** Returns the lines of `commentLines` as an indented text with line ends; empty without lines. */
export function docComment(text: string, indentation = 0, isDeprecated = false): string {
  const pad = ' '.repeat(indentation)
  return commentLines(text, indentation, isDeprecated)
    .map(line => `${pad}${line}\n`)
    .join('')
}

/**
 * Makes a doc comment of the document's words, without indentation: one line if it fits after `indentation` blanks,
 * otherwise a block; empty without words. Breaks up text that would end the comment or begin a tag. `isDeprecated` adds
 * the tag that makes editors strike out the name, even without words.
 */
export function commentLines(text: string, indentation: number, isDeprecated: boolean): readonly string[] {
  const words = rowsOf(text, width - indentation - 3)
  const rows = words.join('') === '' ? [] : words
  if (isDeprecated) rows.push(...(rows.length > 0 ? [''] : []), '@deprecated')
  const [only] = rows
  if (only === undefined) return []
  if (rows.length === 1 && only.length + indentation + 7 <= width) return [`/** ${only} */`]
  return ['/**', ...rows.map(row => (row === '' ? ' *' : ` * ${row}`)), ' */']
}

/** Returns the document's words for a sentence of a comment: on one line, and safe in a comment. */
export const inSentence = (text: string): string => harmless(text).replaceAll(/\s+/g, ' ')

/**
 * Trims a text, removes unprintable characters, and breaks up parts that would end a comment or begin a tag. A repeated
 * call changes nothing further.
 */
function harmless(text: string): string {
  const plain = text.replaceAll(/\r\n?|\u2028|\u2029/g, '\n').replace(unprintable, '')
  return plain
    .trim()
    .replaceAll('*/', '*\\/')
    .replaceAll(/(?<=^|\s)@(?=\S)/g, '\\@')
}

const rowsOf = (text: string, room: number): string[] =>
  harmless(text)
    .split('\n')
    .flatMap(row => wrap(row.trimEnd(), room))

/** Breaks a long row at blanks. A row that starts with blanks, such as code or a list, stays unchanged. */
function wrap(row: string, room: number): string[] {
  if (row.length <= room || /^\s/.test(row)) return [row]
  const rows: string[] = []
  let current = ''
  for (const word of row.split(' ')) {
    if (current !== '' && current.length + 1 + word.length > room) {
      rows.push(current.trimEnd())
      current = word
    } else current = current === '' ? word : `${current} ${word}`
  }
  return [...rows, current]
}
