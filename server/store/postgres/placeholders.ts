const maxKept = 256
const kept = new Map<string, string>()

/** Matches quoted text, which may contain anything, or a placeholder. */
const tokens = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\?/g

/** Returns a statement with numbered placeholders, as PostgreSQL requires. */
export function numbered(sql: string): string {
  const known = kept.get(sql)
  if (known !== undefined) return known
  let count = 0
  const made = sql.replaceAll(tokens, token => (token === '?' ? `$${(count += 1)}` : token))
  if (kept.size >= maxKept) kept.clear()
  kept.set(sql, made)
  return made
}
