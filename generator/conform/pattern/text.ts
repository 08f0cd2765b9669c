import { type Part, parsePattern, type Range } from './parse.ts'

/** The maximal length of a created text in characters. */
const maxLength = 100_000

/**
 * Returns a text for a pattern with about `length` characters, or a shortest text if all texts of the pattern are
 * longer. Returns undefined for an unsupported pattern and for more than `maxLength` characters. The caller must check
 * the text with `RegExp`.
 */
export function textFor(pattern: string, length: number): string | undefined {
  const part = parsePattern(pattern)
  if (!part || length > maxLength) return undefined
  const least = shortest(part)
  return least > maxLength ? undefined : write(part, Math.max(0, length - least))
}

function shortest(part: Part): number {
  switch (part.kind) {
    case 'set':
      return 1
    case 'sequence':
      return part.parts.reduce((total, each) => total + shortest(each), 0)
    case 'choice':
      return Math.min(...part.parts.map(shortest))
    case 'repeat':
      return part.min === 0 ? 0 : part.min * shortest(part.part)
  }
}

function longest(part: Part): number {
  switch (part.kind) {
    case 'set':
      return 1
    case 'sequence':
      return part.parts.reduce((total, each) => total + longest(each), 0)
    case 'choice':
      return Math.max(...part.parts.map(longest))
    case 'repeat': {
      const each = longest(part.part)
      return each === 0 || part.max === 0 ? 0 : part.max * each
    }
  }
}

/** Returns a text that is about `extra` characters longer than the shortest text of the part. */
function write(part: Part, extra: number): string {
  switch (part.kind) {
    case 'set':
      return characterOf(part.ranges)
    case 'sequence':
      return writeAll(part.parts, extra)
    case 'choice':
      return writeChoice(part.parts, shortest(part) + extra)
    case 'repeat':
      return writeRepeat(part, extra)
  }
}

function writeAll(parts: readonly Part[], extra: number): string {
  let left = extra
  let text = ''
  for (const part of parts) {
    const written = write(part, left)
    left -= Math.max(0, [...written].length - shortest(part))
    text += written
  }
  return text
}

/**
 * Returns a text of the first alternative whose shortest and longest text enclose the wanted length, else of the
 * alternative with the longest text.
 */
function writeChoice(parts: readonly Part[], length: number): string {
  const fitting = parts.find(part => longest(part) >= length && shortest(part) <= length)
  const chosen = fitting ?? [...parts].sort((a, b) => longest(b) - longest(a))[0]
  return chosen ? write(chosen, Math.max(0, length - shortest(chosen))) : ''
}

function writeRepeat({ part, min, max }: Extract<Part, { kind: 'repeat' }>, extra: number): string {
  const each = shortest(part)
  let left = extra
  let text = ''
  for (let count = 0; count < max && text.length <= maxLength; count += 1) {
    const isFree = count < min
    if (!isFree && (left < Math.max(1, each) || longest(part) === 0)) break
    const written = write(part, isFree ? left : left - each)
    const length = [...written].length
    left -= isFree ? length - each : length
    text += written
    if (length === 0) break
  }
  return text
}

/**
 * Returns a character of the ranges, preferably a letter or digit: people read letters and digits easily, and no parser
 * takes them for a separator.
 */
function characterOf(ranges: readonly Range[]): string {
  const preferred: readonly Range[] = [[97, 122], [48, 57], [65, 90]] // prettier-ignore
  for (const [low, high] of preferred) {
    const found = ranges.find(([from, to]) => from <= high && to >= low)
    if (found) return String.fromCodePoint(Math.max(found[0], low))
  }
  const [[first] = [120]] = ranges
  return String.fromCodePoint(first)
}
