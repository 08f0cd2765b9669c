/** Compiles a pattern of a document; returns undefined if the pattern is no regular expression. */
export function patternOf(pattern: string): RegExp | undefined {
  // Older patterns contain needless escapes, which Unicode mode refuses.
  return compile(pattern, 'u') ?? compile(pattern, '')
}

function compile(pattern: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(pattern, flags)
  } catch {
    return undefined
  }
}
