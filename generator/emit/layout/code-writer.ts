import { createRequire } from 'node:module'
import type { CodeBlockWriter } from 'ts-morph'
import { commentLines } from './comment.ts'
import { type Doc, print } from './doc.ts'

const blanks = 2
/** The text that ts-morph's writer puts between the head and the content of a block. */
const opening = ' {'

/**
 * Writes code with ts-morph's writer, which keeps the indentation, opens and closes blocks and separates their parts.
 * The layout engine breaks statements that are too long for their place.
 */
export class CodeWriter {
  readonly #writer = newWriter()

  /** Writes a statement, or a member of an interface, on lines of its own. */
  print(doc: Doc): void {
    this.#lay(doc, () => this.#writer.newLine())
  }

  /** Writes `head { }`, and `body` writes the content. The head breaks if the head and its brace exceed a line. */
  block(head: Doc, body: () => void): void {
    this.#lay(head, () => this.#writer.space(), opening)
    this.#writer.block(body)
  }

  /** Writes a doc comment of the document's words; writes nothing for empty words without deprecation. */
  comment(text = '', isDeprecated = false): void {
    for (const line of commentLines(text, this.#indentation, isDeprecated)) this.#writer.writeLine(line)
  }

  /** Separates the text before and after by a blank line; repeated calls add one only. */
  blank(): void {
    this.#writer.blankLineIfLastNot()
  }

  /** Writes lines that are laid out. */
  write(text: string): void {
    if (text !== '') this.#lay(text.replace(/\n$/, ''), () => this.#writer.newLine())
  }

  /** Inserts the code of another writer and a blank line at the start; an empty writer inserts nothing. */
  hoist(code: CodeWriter): void {
    if (!code.isEmpty) this.#writer.unsafeInsert(0, `${code.toString()}\n`)
  }

  get isEmpty(): boolean {
    return this.#writer.getLength() === 0
  }

  /** The code so far, ending with one line end. */
  toString(): string {
    const text = this.#writer.toString()
    // A regular expression would scan the whole text; the loop reads only the end of the text.
    let end = text.length
    while (text[end - 1] === '\n') end -= 1
    return `${text.slice(0, end)}\n`
  }

  get #indentation(): number {
    return this.#writer.getIndentationLevel() * blanks
  }

  /**
   * Writes the indentation and the end by the writer, and inserts the text between them. The writer scans plain text
   * for quotes in order to leave multi-line strings unchanged, and a pattern with a quote would look like an endless
   * string. The writer puts `followed` after the text on the same line, so the layout leaves room for it.
   */
  #lay(doc: Doc, end: () => CodeBlockWriter, followed = ''): void {
    const writer = this.#writer.write('')
    end()
    const text = print([doc, followed], this.#indentation)
    writer.unsafeInsert(writer.getLength() - 1, text.slice(0, text.length - followed.length))
  }
}

/**
 * ts-morph's writer class, from the package where ts-morph takes it: ts-morph as a whole loads the TypeScript compiler,
 * which is not needed here (docs/decisions/0014). It is loaded for the first file.
 */
export function writerOfTsMorph(): typeof CodeBlockWriter {
  const tsMorph = createRequire(import.meta.url).resolve('ts-morph')
  const { default: writer }: { readonly default: typeof CodeBlockWriter } = createRequire(tsMorph)('code-block-writer')
  return writer
}

const newWriter = (): CodeBlockWriter =>
  new (writerOfTsMorph())({ indentNumberOfSpaces: blanks, newLine: '\n', useSingleQuote: true })
