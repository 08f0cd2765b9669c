/** Returns a table in Markdown; an empty text without rows. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
  const lines = [head, head.map(() => '---'), ...rows.map(row => row.map(cell))]
  return lines.map(line => `| ${line.join(' | ')} |`).join('\n')
}

/** Returns a text as code in Markdown. */
export const code = (text: string): string => `\`${text}\``

/** Joins paragraphs; empty paragraphs are left out. */
export const paragraphs = (...texts: readonly string[]): string =>
  texts
    .map(text => text.trim())
    .filter(text => text !== '')
    .join('\n\n')

/** Returns a text on one line, with the characters escaped that would end a cell. */
const cell = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').trim()
