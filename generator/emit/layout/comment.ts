/** The width that a comment's own lines are wrapped to, its indentation included. */
const width = 120

/** What no comment should hold: control characters, which hide text, and halves of characters, which no file can hold. */
const unprintable = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/gu

/** `commentLines` in a text that is indented and ends with a line end; an empty one where there are none. */
export function docComment(text: string, indentation = 0, isDeprecated = false): string {
  const pad = ' '.repeat(indentation)
  return commentLines(text, indentation, isDeprecated)
    .map(line => `${pad}${line}\n`)
    .join('')
}

/**
 * A doc comment of the document's words, without indentation: one line where it fits behind `indentation` blanks, else a
 * block, none without words. What would end the comment or start a tag is broken up, so that text stays text; the tag
 * that strikes a name out comes from `isDeprecated` alone.
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

/** The document's words within a sentence of ours: on one line, and safe in a comment. */
export const inSentence = (text: string): string => harmless(text).replaceAll(/\s+/g, ' ')

/** Text without what would end a comment or start a tag; text that was made harmless before stays as it is. */
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

/** Breaks a long row at blanks; a row that starts with blanks (code, a list) stays as it is. */
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
