import { type Traced, traced } from './override-marks.ts'
import { type Place, startOf } from './place.ts'
import { TemplateError } from './template-error.ts'

/** The options of .prettierrc.json in this repository, which the built-in layout follows. */
const style = {
  parser: 'typescript',
  printWidth: 120,
  semi: false,
  singleQuote: true,
  trailingComma: 'all',
  arrowParens: 'avoid',
} as const

/**
 * Formats the files of overrides with prettier, which is loaded for these files only, and removes their unused imports.
 * Returns other files unchanged. Throws `TemplateError` for a file that is no TypeScript.
 */
export async function finished(files: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, string>> {
  const done = new Map(files)
  for (const [path, text] of files) {
    const made = traced(text)
    if (made) done.set(path, await laidOut(path, made))
  }
  return done
}

async function laidOut(path: string, made: Traced): Promise<string> {
  const { format } = await import('prettier')
  const head = usedImports(made.head, made.body)
  try {
    return await format(head + made.body, style)
  } catch (error) {
    const place = startOf(error)
    if (!place || !(error instanceof Error)) throw error
    const index = indexOf(head + made.body, place) - head.length + made.head.length
    const [said = ''] = error.message.split('\n')
    throw new TemplateError(
      `${made.placeAt(index)}: what the template makes of ${path} is no TypeScript: ${said.replace(/\.? \(\d+:\d+\)$/, '')}: mend the template`,
    )
  }
}

/** Returns `head` with only the imports that the body uses. */
function usedImports(head: string, body: string): string {
  const words = new Set(body.match(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu))
  return head.replaceAll(imports, (_, keyword: string, list: string, from: string) => {
    const used = list
      .split(',')
      .map(name => name.trim())
      .filter(name => words.has(/[^ ]*$/.exec(name)?.[0] ?? ''))
    if (used.length === 0) return ''
    const onlyTypes = used.every(name => name.startsWith('type '))
    return onlyTypes
      ? `import type { ${used.map(name => name.slice('type '.length)).join(', ')} } from ${from}`
      : `${keyword} { ${used.join(', ')} } from ${from}`
  })
}

/** Matches the import statements of OutputFile. */
const imports = /^(import|import type) \{([^}]*)\} from ([^\n]*\n)/gm

function indexOf(text: string, { line, column }: Place): number {
  const before = text.split('\n').slice(0, line - 1)
  return before.reduce((sum, row) => sum + row.length + 1, column - 1)
}
