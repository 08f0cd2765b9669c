/** Patterns of RE2 whose compilation or whose matches would take long. */
export const hostilePatterns: readonly string[] = [
  'a{1000}'.repeat(150),
  '(a{1000}){1000}',
  '((((a{10}){10}){10}){10}){10}',
  '(?:a?){1000}',
  '(.*a){1000}',
  '(((.{1,10}){1,10}){1,10})',
  String.raw`(?i)\pL{1000}`,
  String.raw`(?i)${String.raw`[\pL\pN]`.repeat(60)}`,
  String.raw`(?:[)]${'a'.repeat(200)}){900}`,
  String.raw`(?:\Q)\E${'a'.repeat(200)}){900}`,
  `(?:x|${'.?'.repeat(900)}y)`,
]
