/** This module scans the tokens of a valid JSON text without parsing it. Offsets are those of UTF-16 units. */

const [quote, comma, colon, backslash] = [0x22, 0x2c, 0x3a, 0x5c]

/** Returns the offset after the closing quote of the string that begins at an offset. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end < 0 ? text.length : end + 1
}

function isEscaped(text: string, at: number): boolean {
  let start = at
  while (text.charCodeAt(start - 1) === backslash) start -= 1
  return (at - start) % 2 === 1
}

/** The offsets after long objects and lists, keyed by the offsets at which these begin. */
export type Ends = Map<number, number>

/** The length in characters from which on the end of an object or a list is kept, so that it is not scanned again. */
const worthKeeping = 200

/**
 * Returns the offset after the value that begins at an offset; blanks may follow a number or a word. Adds the ends of long
 * values inside to `ends`, and skips those that `ends` holds.
 */
export function endOfValue(text: string, start: number, ends: Ends): number {
  const first = text.charCodeAt(start)
  if (first === quote) return endOfString(text, start)
  if (isOpening(first)) return endOfContainer(text, start, ends)
  let at = start
  while (at < text.length && text.charCodeAt(at) !== comma && !isClosing(text.charCodeAt(at))) at += 1
  return at
}

function endOfContainer(text: string, start: number, ends: Ends): number {
  const known = ends.get(start)
  if (known !== undefined) return known
  const open: number[] = []
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at) - 1
    else if (isOpening(code)) open.push(at)
    else if (isClosing(code)) {
      const opened = open.pop() ?? start
      if (at - opened > worthKeeping) ends.set(opened, at + 1)
      if (open.length === 0) return at + 1
    }
  }
  return text.length
}

// Square brackets differ from braces in one bit.
const isOpening = (code: number): boolean => (code | 0x20) === 0x7b
const isClosing = (code: number): boolean => (code | 0x20) === 0x7d

/** Returns the first offset from `start` on whose character is no white space. */
export function pastBlanks(text: string, start: number): number {
  let at = start
  while (at < text.length && text.charCodeAt(at) <= 0x20) at += 1
  return at
}

/** Returns the name that a string literal of a JSON text denotes. */
export const nameIn = (literal: string): string =>
  literal.includes('\\') ? String(JSON.parse(literal)) : literal.slice(1, -1)

/** Returns the number of members of all objects of a text; a colon follows the name of a member only. */
export function countMembers(text: string): number {
  let count = 0
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at)) {
    at = endOfString(text, at)
    if (text.charCodeAt(pastBlanks(text, at)) === colon) count += 1
  }
  return count
}
