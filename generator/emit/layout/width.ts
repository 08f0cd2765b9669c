import { createRequire } from 'node:module'

/**
 * Returns the columns of `text` on a line, as prettier counts columns: two for wide characters and emoji, none for
 * marks. Prettier's tables are loaded when a text first needs them, which is rare.
 */
export function widthOf(text: string): number {
  // Most texts are a few ASCII characters, for which a loop is faster than a regular expression.
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i)
    if (unit < 0x20 || unit > 0x7e) return measure(text)
  }
  return text.length
}

let measure = (text: string): number => {
  const prettier: typeof import('prettier') = createRequire(import.meta.url)('prettier')
  measure = prettier.util.getStringWidth
  return measure(text)
}
