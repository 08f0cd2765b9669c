import type { PageScanner } from './page-scanner.ts'

const labelName = /[a-zA-Z_][a-zA-Z0-9_]*/y

/** What braces have: labels, and the name of the metric if it stands among them in quotes. */
export interface Braces {
  readonly name?: string
  readonly labels: readonly (readonly [name: string, value: string])[]
}

/**
 * Takes labels after an opening brace, and the closing brace. OpenMetrics is strict: it has no blanks, and a comma between
 * labels. The older format takes blanks, and no comma too. Both take a comma at the end.
 */
export function takeLabels(page: PageScanner, { isStrict }: { readonly isStrict: boolean }): Braces {
  const labels: [string, string][] = []
  let name: string | undefined
  const skip = isStrict ? () => {} : () => page.skipBlanks()
  for (;;) {
    skip()
    if (page.takes('}')) return { labels, ...(name !== undefined && { name }) }
    const quoted = page.takeQuoted()
    const label = quoted ?? page.take(labelName)
    if (label === undefined || label === '') throw page.fault('a label name is expected')
    skip()
    if (quoted !== undefined && (page.next === ',' || page.next === '}')) {
      if (name !== undefined) throw page.fault('the metric has two names')
      name = quoted
    } else labels.push([label, takeValue(page, skip, isStrict)])
    skip()
    if (!page.takes(',') && isStrict && page.next !== '}') throw page.fault('a comma or a closing brace is expected')
  }
}

function takeValue(page: PageScanner, skip: () => void, isStrict: boolean): string {
  if (!page.takes('=')) throw page.fault('an equals sign is expected after a label name')
  skip()
  const value = page.takeQuoted({ inLine: isStrict })
  if (value === undefined) throw page.fault('a label value in quotes is expected')
  return value
}
