import { createRequire } from 'node:module'

const plain = /^[\x20-\x7e]*$/

/**
 * The columns that `text` takes on a line, as prettier counts them: two for wide characters and emoji, none for marks.
 * Prettier's own tables are loaded when the first text needs them, which few documents hold.
 */
export const widthOf = (text: string): number => (plain.test(text) ? text.length : measure(text))

let measure = (text: string): number => {
  const prettier: typeof import('prettier') = createRequire(import.meta.url)('prettier')
  measure = prettier.util.getStringWidth
  return measure(text)
}
