import type { SourceFile } from 'ts-morph'

/** The formatting of a handwritten file that additions must follow. */
export interface FileStyle {
  readonly newline: '\n' | '\r\n'
  readonly quote: "'" | '"'
  readonly semicolon: '' | ';'
  /** The white space of one level of indentation. */
  readonly indent: string
}

/** The formatting of new files. */
export const newFileStyle: FileStyle = { newline: '\n', quote: "'", semicolon: '', indent: '  ' }

/** The maximal length of a line of an addition, in characters. */
export const printWidth = 120

/** Detects a file's style from its line ends, its imports and its first indented line. */
export function styleOf(file: SourceFile): FileStyle {
  const text = file.getFullText()
  const imports = file.getImportDeclarations().map(declaration => declaration.getText())
  return {
    newline: text.includes('\r\n') ? '\r\n' : '\n',
    quote: imports.some(line => line.includes("'")) || imports.length === 0 ? "'" : '"',
    semicolon: imports.some(line => line.endsWith(';')) ? ';' : '',
    indent: /^(\t| {2,8})(?=[^\s*])/m.exec(text)?.[1] ?? newFileStyle.indent,
  }
}
