const maxCandidates = 5000
const maxLength = 80

/**
 * Returns the candidate nearest to a name, for `did you mean`; undefined if no candidate is near or the name has more
 * than 80 characters. Compares at most 5000 candidates.
 */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  if (name.length > maxLength) return undefined
  const limit = Math.max(2, Math.floor(name.length / 3))
  let best: { readonly candidate: string; readonly distance: number } | undefined
  for (const candidate of candidates.slice(0, maxCandidates)) {
    if (Math.abs(candidate.length - name.length) > limit) continue
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase())
    if (distance <= limit && (!best || distance < best.distance)) best = { candidate, distance }
  }
  return best?.candidate
}

/** Returns the Levenshtein distance of two texts, computed row by row. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(substitution, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1))
    }
    previous = row
  }
  return previous[b.length] ?? 0
}
