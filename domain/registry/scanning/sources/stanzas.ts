/**
 * Yields the stanzas of a text of fields, such as the status of dpkg: lines `Name: value`, ended by an empty line. A line
 * that begins with white space continues the value before, and is left out, as are fields that are not `wanted`; of a field
 * given twice the first value counts.
 */
export function* stanzas(text: string, wanted: ReadonlySet<string>): Generator<ReadonlyMap<string, string>> {
  let fields = new Map<string, string>()
  let isEmpty = true
  for (const line of lines(text)) {
    if (line === '') {
      if (!isEmpty) yield fields
      if (fields.size > 0) fields = new Map()
      isEmpty = true
      continue
    }
    isEmpty = false
    const colon = line.indexOf(':')
    if (colon < 1 || line.startsWith(' ') || line.startsWith('\t')) continue
    const name = line.slice(0, colon)
    if (wanted.has(name) && !fields.has(name)) fields.set(name, line.slice(colon + 1).trim())
  }
  if (!isEmpty) yield fields
}

/** Yields the lines of a text, without their ends, in memory for one line at a time. */
export function* lines(text: string): Generator<string> {
  let start = 0
  while (start < text.length) {
    const found = text.indexOf('\n', start)
    const end = found < 0 ? text.length : found
    yield text.slice(start, text[end - 1] === '\r' && end > start ? end - 1 : end)
    start = end + 1
  }
}
