/** What terminals obey instead of showing it: control characters, and marks that turn the direction of text around. */
// eslint-disable-next-line no-control-regex
const unprintable = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g

const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** A text of somebody else on one line, with escapes such as `\u001b` for what a terminal would obey. */
export const printable = (text: string): string => text.replace(unprintable, escape)

/** A value as JSON of several lines, in which texts are escaped alike; it means the same. */
export const printableJson = (value: unknown): string =>
  // The line ends between members are not part of any text: in those, JSON has escaped them already.
  JSON.stringify(value, undefined, 2).replace(unprintable, character => (character === '\n' ? '\n' : escape(character)))
