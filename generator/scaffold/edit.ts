/**
 * A replacement of the text between the offsets `start` (included) and `end` (excluded). The offsets refer to the text
 * before any edit.
 */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Applies edits that do not overlap. The text outside the edits stays unchanged byte for byte. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const parts: string[] = []
  let from = 0
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    parts.push(text.slice(from, edit.start), edit.text)
    from = edit.end
  }
  return [...parts, text.slice(from)].join('')
}
