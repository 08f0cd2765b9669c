/**
 * Whether an object of a valid JSON text has two members of the same name, of which a parser would silently keep the
 * last.
 */
export function hasDuplicateKeys(text: string): boolean {
  /** The names of each open object, and undefined for each open list. */
  const open: (Set<string> | undefined)[] = []
  let names: Set<string> | undefined
  let isKeyNext = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      const end = endOfString(text, at)
      if (isKeyNext && names) {
        const name = nameIn(text.slice(at + 1, end))
        if (names.has(name)) return true
        names.add(name)
        isKeyNext = false
      }
      at = end
    } else if (code === brace || code === bracket) {
      names = code === brace ? new Set() : undefined
      open.push(names)
      isKeyNext = code === brace
    } else if (code === closingBrace || code === closingBracket) {
      open.pop()
      names = open.at(-1)
    } else if (code === comma) isKeyNext = names !== undefined
  }
  return false
}

const [quote, comma, brace, closingBrace, bracket, closingBracket] = [0x22, 0x2c, 0x7b, 0x7d, 0x5b, 0x5d]

/** Returns the offset of the closing quote of the string that begins at an offset. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end < 0 ? text.length : end
}

function isEscaped(text: string, at: number): boolean {
  let start = at
  while (text.charCodeAt(start - 1) === 0x5c) start -= 1
  return (at - start) % 2 === 1
}

const nameIn = (raw: string): string => (raw.includes('\\') ? String(JSON.parse(`"${raw}"`)) : raw)
