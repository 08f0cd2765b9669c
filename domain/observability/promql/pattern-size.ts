/** The tokens of a pattern of RE2. */
const tokens = new RegExp(
  [
    /\\Q(?<quoted>[^]*?)(?:\\E|$)/,
    /(?<named>\\[pP](?:\{[^}]*\}|[^]))/,
    /(?<escape>\\(?:x\{[^}]*\}|x..|[0-7]{1,3}|[^]))/,
    /(?<set>\[\^?\]?(?:\[:\^?\w+:\]|\\[pP](?:\{[^}]*\}|[^])|\\x\{[^}]*\}|\\[^]|[^\]\\])*\])/,
    /(?<open>\((?:\?(?:P?<\w+>|[a-zA-Z-]*:?))?)/,
    /(?<close>\))/,
    /(?<or>\|)/,
    /(?<many>[*+?]\??)/,
    /\{(?<least>\d+)(?:(?<comma>,)(?<most>\d*))?\}\??/,
    /[^]/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gu',
)

/** The items of a set of characters in brackets. */
const items = /\[:\^?\w+:\]|\\[pP](?:\{[^}]*\}|[^])|\\x\{[^}]*\}|\\[^]|[^]/gu

/** The size of a class of Unicode such as `\pL`, which has many ranges of characters. */
const namedSize = 10

/** The size of a group in addition to that of its content. */
const groupSize = 2

/**
 * Returns the size of a pattern of RE2, which bounds the time of its compilation and, times the length of a text, that of
 * a match: 1 for each character, each item of a set in brackets, each `|`, `*`, `+` and `?`, 10 for a class of Unicode,
 * and 2 for a group; `{n,m}` multiplies the size of its operand by m.
 */
export function patternSize(text: string): number {
  const outer: number[] = []
  let sum = 0
  let last = 0
  for (const { 0: token, groups = {} } of text.matchAll(tokens)) {
    const { close, least, many, named, open, or, quoted, set } = groups
    if (open !== undefined) {
      outer.push(sum)
      sum = last = 0
    } else if (close !== undefined) {
      last = sum + groupSize
      sum = (outer.pop() ?? 0) + last
    } else if (least !== undefined) {
      const repeated = (last + 1) * Math.max(1, copies(groups))
      sum += repeated - last
      last = repeated
    } else if (many !== undefined) {
      last += 1
      sum += 1
    } else {
      last = or !== undefined ? 0 : set !== undefined ? sizeOfSet(token) : named !== undefined ? namedSize : 1
      sum += or !== undefined ? 1 : quoted !== undefined ? quoted.length : last
    }
  }
  return outer.reduce((all, each) => all + each + groupSize, sum)
}

/** Returns how often a repetition repeats, at most. */
function copies({ comma, least, most }: Readonly<Record<string, string | undefined>>): number {
  if (comma === undefined) return Number(least)
  return most === '' ? Number(least) + 1 : Number(most)
}

function sizeOfSet(set: string): number {
  let size = 0
  for (const [item] of set.slice(1, -1).matchAll(items)) size += /^\\[pP]/.test(item) ? namedSize : 1
  return size
}
