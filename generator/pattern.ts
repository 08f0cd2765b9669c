/**
 * Compiles a pattern of a document: in Unicode mode, or without it if only that mode refuses the pattern, because
 * ECMA-262 5.1, the dialect that OpenAPI 3.0.3 names, allows needless escapes such as `\-`. Returns undefined if the
 * pattern is no regular expression in either mode.
 */
export function expressionOf(pattern: string): RegExp | undefined {
  return compiled(pattern, 'u') ?? compiled(pattern, '')
}

/**
 * Parts that only other dialects of regular expressions have: the anchors `\A`, `\Z` and `\z` of Perl, Python and Ruby,
 * their flags and named groups, and the classes of POSIX.
 */
const otherDialect = /\\[AZz]|\(\?[a-zA-Z]+\)|\(\?P[<=>]|\[[^\]]*\[:\^?[a-z]+:\]/

/**
 * Returns the first part of a pattern that is of another dialect than that of JavaScript; undefined if there is none.
 * JavaScript reads most of these parts as other characters, for example `\A` as the letter A, and refuses the others.
 */
export function foreignPart(pattern: string): string | undefined {
  return otherDialect.exec(pattern.replaceAll('\\\\', ''))?.[0]
}

function compiled(pattern: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(pattern, flags)
  } catch {
    return undefined
  }
}
