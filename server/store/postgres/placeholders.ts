const maxKept = 256
const kept = new Map<string, string>()

/** What is quoted, which may hold anything, or a placeholder. */
const tokens = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\?/g

/** A statement whose placeholders have numbers, as PostgreSQL has them. */
export function numbered(sql: string): string {
  const known = kept.get(sql)
  if (known !== undefined) return known
  let count = 0
  const made = sql.replaceAll(tokens, token => (token === '?' ? `$${(count += 1)}` : token))
  if (kept.size >= maxKept) kept.clear()
  kept.set(sql, made)
  return made
}
