/**
 * The characters that `printable` escapes: control characters, line and paragraph separators, marks that change the
 * direction of text, and the byte order mark.
 */
// eslint-disable-next-line no-control-regex
const unprintable = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g

const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/**
 * Returns a text on one line: each control character, and each other character that could change the shown text, is
 * replaced by an escape such as `\u001b`.
 */
export const printable = (text: string): string => text.replace(unprintable, escape)

/**
 * Returns a value as indented JSON. The same characters are escaped as in `printable`, so the JSON keeps its meaning.
 */
export const printableJson = (value: unknown): string =>
  // JSON has escaped the line ends inside of texts, so each line end here separates members.
  JSON.stringify(value, undefined, 2).replace(unprintable, character => (character === '\n' ? '\n' : escape(character)))
