/** The maximal number of lines of a side that are compared line by line. A longer change becomes a single block. */
const longestSide = 1000
const context = 3

interface Line {
  readonly sign: ' ' | '-' | '+'
  readonly text: string
  /** The number of lines on each side before this line. */
  readonly before: number
  readonly after: number
}

/**
 * Returns the changes from `before` to `after` as a unified diff without file names: `@@`, context, `-` and `+` lines.
 */
export function diff(before: string, after: string): string[] {
  return hunks(compareLines(linesOf(before), linesOf(after)))
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))

function compareLines(before: readonly string[], after: readonly string[]): Line[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1
  let end = 0
  const shorter = Math.min(before.length, after.length) - start
  while (end < shorter && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1
  const middle = signed(before.slice(start, before.length - end), after.slice(start, after.length - end))
  const lines: Line[] = []
  let [left, right] = [0, 0]
  const add = (sign: Line['sign'], text: string): void => {
    lines.push({ sign, text, before: left, after: right })
    if (sign !== '+') left += 1
    if (sign !== '-') right += 1
  }
  for (const text of before.slice(0, start)) add(' ', text)
  for (const [sign, text] of middle) add(sign, text)
  for (const text of before.slice(before.length - end)) add(' ', text)
  return lines
}

type Signed = readonly [sign: Line['sign'], text: string]

function signed(before: readonly string[], after: readonly string[]): Signed[] {
  if (before.length > longestSide || after.length > longestSide) {
    return [...before.map(text => ['-', text] as const), ...after.map(text => ['+', text] as const)]
  }
  const lengths = commonLengths(before, after)
  const width = after.length + 1
  const at = (left: number, right: number): number => lengths[left * width + right] ?? 0
  const lines: Signed[] = []
  let [left, right] = [0, 0]
  while (left < before.length || right < after.length) {
    const [old, now] = [before[left], after[right]]
    if (old !== undefined && old === now) {
      lines.push([' ', old])
      left += 1
      right += 1
    } else if (old !== undefined && (now === undefined || at(left + 1, right) >= at(left, right + 1))) {
      lines.push(['-', old])
      left += 1
    } else if (now !== undefined) {
      lines.push(['+', now])
      right += 1
    }
  }
  return lines
}

/** Returns the lengths of the longest common subsequences for each pair of tails, computed row by row. */
function commonLengths(before: readonly string[], after: readonly string[]): Uint16Array {
  const width = after.length + 1
  const lengths = new Uint16Array((before.length + 1) * width)
  for (let left = before.length - 1; left >= 0; left -= 1) {
    for (let right = after.length - 1; right >= 0; right -= 1) {
      const here = left * width + right
      lengths[here] =
        before[left] === after[right]
          ? (lengths[here + width + 1] ?? 0) + 1
          : Math.max(lengths[here + width] ?? 0, lengths[here + 1] ?? 0)
    }
  }
  return lengths
}

function hunks(lines: readonly Line[]): string[] {
  const printed: string[] = []
  let from = 0
  while (from < lines.length) {
    const change = lines.findIndex((line, index) => index >= from && line.sign !== ' ')
    if (change < 0) return printed
    const start = Math.max(from, change - context)
    const end = endOfHunk(lines, change)
    printed.push(...hunk(lines.slice(start, end)))
    from = end
  }
  return printed
}

/** Returns the index after the context of a run of changes. Changes with little text between them share a hunk. */
function endOfHunk(lines: readonly Line[], change: number): number {
  let last = change
  for (let index = change; index < lines.length && index - last <= 2 * context; index += 1) {
    if (lines[index]?.sign !== ' ') last = index
  }
  return Math.min(lines.length, last + 1 + context)
}

function hunk(lines: readonly Line[]): string[] {
  const first = lines[0]
  if (!first) return []
  const old = range(first.before, lines.filter(line => line.sign !== '+').length)
  const now = range(first.after, lines.filter(line => line.sign !== '-').length)
  return [`@@ -${old} +${now} @@`, ...lines.map(line => line.sign + line.text)]
}

const range = (before: number, count: number): string =>
  count === 1 ? String(before + 1) : `${count === 0 ? before : before + 1},${count}`
