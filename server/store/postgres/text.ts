import type { SqlValue } from '../connection.ts'

/**
 * The stored forms of the first four characters, in their order: words of three characters that begin with U+0001.
 * PostgreSQL cannot store U+0000. Texts keep their order. A word begins at every U+0001 and nowhere else, so searches
 * for a part of a text stay exact.
 */
const words = ['\u0001\u0002\u0002', '\u0001\u0002\u0003', '\u0001\u0003\u0002', '\u0001\u0003\u0003'] as const

const isRare = /[^\u0004-\uffff]/
const rare = /[^\u0004-\uffff]/g
const word = /\u0001[^\u0004-\uffff]{2}/g

const wordOf = (character: string): string => words[character.charCodeAt(0)] ?? character

/** Returns the stored form of a text. */
export const escapeText = (text: string): string => (isRare.test(text) ? text.replace(rare, wordOf) : text)

/** Returns the text of a stored form. */
export function unescapeText(text: string): string {
  if (!text.includes('\u0001')) return text
  return text.replace(word, found => String.fromCharCode(words.findIndex(one => one === found)))
}

/** Matches the escapes that JSONB refuses, and escaped backslashes, whose second backslash begins no escape. */
const jsonEscapes = /\\\\|\\u000[0-3]|\\ud[89a-f][0-9a-f]{2}/g

/** Converts the JSON of `JSON.stringify` so that its texts have the stored form; unpaired surrogates become U+FFFD. */
export function escapeJson(json: string): string {
  return json.replace(jsonEscapes, found => {
    if (found === '\\\\') return found
    return found.startsWith('\\u0')
      ? JSON.stringify(wordOf(String.fromCharCode(Number(found.at(-1))))).slice(1, -1)
      : '\ufffd'
  })
}

/** Returns values as an array of PostgreSQL. */
export function arrayLiteral(values: readonly SqlValue[]): string {
  return `{${values.map(element).join(',')}}`
}

const element = (value: SqlValue): string =>
  value === null ? 'NULL' : `"${String(value).replaceAll(/["\\]/g, '\\$&')}"`

/** Returns the LIKE pattern for texts that consist of the pieces, with any characters between them. */
export function likePattern(pieces: readonly string[]): string {
  return pieces.map(piece => piece.replaceAll(/[%_\\]/g, '\\$&')).join('%')
}
