import type { SourceFile } from 'ts-morph'

/** How a handwritten file is written, as far as additions must agree with it. */
export interface FileStyle {
  readonly newline: '\n' | '\r\n'
  readonly quote: "'" | '"'
  readonly semicolon: '' | ';'
  /** One level. */
  readonly indent: string
}

/** The style of files that the scaffold makes itself. */
export const newFileStyle: FileStyle = { newline: '\n', quote: "'", semicolon: '', indent: '  ' }

/** Longest line that additions print. */
export const printWidth = 120

/** Reads a file's style off its imports and its first indented line. */
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
