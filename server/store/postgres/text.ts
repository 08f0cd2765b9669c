import type { SqlValue } from '../connection.ts'

/**
 * PostgreSQL cannot hold U+0000. The first four characters are written as words of three that begin with U+0001: texts
 * keep their order, a word begins at every U+0001 and nowhere else, so that a part of a text is found where it is, and
 * nothing else is found.
 */
const words = ['\u0001\u0002\u0002', '\u0001\u0002\u0003', '\u0001\u0003\u0002', '\u0001\u0003\u0003'] as const

const isRare = /[^\u0004-\uffff]/
const rare = /[^\u0004-\uffff]/g
const word = /\u0001[^\u0004-\uffff]{2}/g

const wordOf = (character: string): string => words[character.charCodeAt(0)] ?? character

/** A text as PostgreSQL keeps and compares it. */
export const escapeText = (text: string): string => (isRare.test(text) ? text.replace(rare, wordOf) : text)

/** What `escapeText` was given. */
export function unescapeText(text: string): string {
  if (!text.includes('\u0001')) return text
  return text.replace(word, found => String.fromCharCode(words.findIndex(one => one === found)))
}

/** Escaped backslashes, so that they escape nothing further, and the escapes that JSONB refuses. */
const jsonEscapes = /\\\\|\\u000[0-3]|\\ud[89a-f][0-9a-f]{2}/g

/** JSON that `JSON.stringify` made, whose texts are as `escapeText` makes them; halves of characters are U+FFFD. */
export function escapeJson(json: string): string {
  return json.replace(jsonEscapes, found => {
    if (found === '\\\\') return found
    return found.startsWith('\\u0')
      ? JSON.stringify(wordOf(String.fromCharCode(Number(found.at(-1))))).slice(1, -1)
      : '\ufffd'
  })
}

/** Values as PostgreSQL reads an array. */
export function arrayLiteral(values: readonly SqlValue[]): string {
  return `{${values.map(element).join(',')}}`
}

const element = (value: SqlValue): string =>
  value === null ? 'NULL' : `"${String(value).replaceAll(/["\\]/g, '\\$&')}"`

/** The pattern of LIKE for texts that are the pieces with any characters between each two. */
export function likePattern(pieces: readonly string[]): string {
  return pieces.map(piece => piece.replaceAll(/[%_\\]/g, '\\$&')).join('%')
}
