/** A pattern of a document as it is matched; undefined where it is no regular expression. */
export function patternOf(pattern: string): RegExp | undefined {
  // Old patterns escape what needs no escape, which Unicode mode refuses.
  return compile(pattern, 'u') ?? compile(pattern, '')
}

function compile(pattern: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(pattern, flags)
  } catch {
    return undefined
  }
}
