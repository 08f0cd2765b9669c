import { createRequire } from 'node:module'
import type { CodeBlockWriter } from 'ts-morph'
import { commentLines } from './comment.ts'
import { type Doc, print } from './doc.ts'

const blanks = 2

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

  /** Writes `head { }` with what `body` writes inside. */
  block(head: Doc, body: () => void): void {
    this.#lay(head, () => this.#writer.space())
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

  /** Inserts laid out lines before all text so far. */
  hoist(text: string): void {
    if (text !== '') this.#writer.unsafeInsert(0, `${text}\n`)
  }

  get isEmpty(): boolean {
    return this.#writer.getLength() === 0
  }

  /** The code so far, ending with one line end. */
  toString(): string {
    const text = this.#writer.toString()
    // A regular expression would scan the whole text; this looks at its end only.
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
   * string.
   */
  #lay(doc: Doc, end: () => CodeBlockWriter): void {
    const writer = this.#writer.write('')
    end()
    writer.unsafeInsert(writer.getLength() - 1, print(doc, this.#indentation))
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
