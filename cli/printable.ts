/**
 * The characters that a terminal obeys instead of showing them: control characters, and marks that reverse the
 * direction of text.
 */
// eslint-disable-next-line no-control-regex
const unprintable = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g

const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Escapes a foreign text to one line: each character that a terminal would obey becomes an escape such as `\u001b`. */
export const printable = (text: string): string => text.replace(unprintable, escape)

/**
 * Prints a value as indented JSON. The texts of the value are escaped as in `printable`, so the JSON keeps its meaning.
 */
export const printableJson = (value: unknown): string =>
  // A line end in this text lies between members: JSON has already escaped the line ends inside of texts.
  JSON.stringify(value, undefined, 2).replace(unprintable, character => (character === '\n' ? '\n' : escape(character)))
