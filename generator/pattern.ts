/**
 * Compiles a pattern of a document: in Unicode mode, or without it if only that mode refuses the pattern, because
 * ECMA-262 5.1, the dialect that OpenAPI 3.0.3 names, allows needless escapes such as `\-`. Returns undefined if the
 * pattern is no regular expression in either mode.
 */
export function expressionOf(pattern: string): RegExp | undefined {
  return compiled(pattern, 'u') ?? compiled(pattern, '')
}

function compiled(pattern: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(pattern, flags)
  } catch {
    return undefined
  }
}
