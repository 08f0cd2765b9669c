import type { ImportEnding } from '../options.ts'
import { newFileStyle } from './file-style.ts'
import { NeededImports } from './imports.ts'
import type { HandlerInterface, ImportedSymbol } from './interfaces.ts'
import { newFileNaming } from './modules.ts'
import { stub } from './stub.ts'

/** Returns the file name of a group's class: `quotaOverrides` becomes `quota-overrides.ts`. */
export const fileNameOf = (group: string): string =>
  `${group
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-')
    .replace(/[^A-Za-z0-9-]/g, '-')
    .toLowerCase()}.ts`

/**
 * Returns the text of a new file with a class for a group. `folder` is an absolute path with `/` between its segments.
 */
export function newClass(
  group: HandlerInterface,
  unimplemented: ImportedSymbol,
  folder: string,
  importEnding: ImportEnding,
): string {
  const name = `${group.group.slice(0, 1).toUpperCase()}${group.group.slice(1)}`
  const imports = new NeededImports(undefined, newFileNaming(folder, importEnding), [name])
  const handlers = imports.local(group, true)
  const stubs = group.methods.map(method => stub(method, unimplemented, imports, newFileStyle, newFileStyle.indent))
  const lines = [
    ...imports.statements(newFileStyle).sort(),
    '',
    `/** The operations of \`${group.group}\`. */`,
    `export class ${name} implements ${handlers} {`,
    stubs.join('\n\n'),
    '}',
  ]
  return `${lines.join('\n')}\n`
}
