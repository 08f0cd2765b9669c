import { createRequire } from 'node:module'
import type { CodeBlockWriter } from 'ts-morph'
import { commentLines } from './comment.ts'
import { type Doc, print } from './doc.ts'

const blanks = 2
/** The text that ts-morph's writer puts between the head and the content of a block. */
const opening = ' {'

/**
 * Code as ts-morph's writer writes it: the writer keeps the indentation, opens and closes blocks and separates what
 * stands in them; the layout engine breaks a statement that is too long for the place where it stands.
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

  /** Writes a doc comment of the document's words; nothing when there are none and nothing is deprecated. */
  comment(text = '', isDeprecated = false): void {
    for (const line of commentLines(text, this.#indentation, isDeprecated)) this.#writer.writeLine(line)
  }

  /** Separates by a blank line what was written from what is written next; a second call in a row adds none. */
  blank(): void {
    this.#writer.blankLineIfLastNot()
  }

  /** Writes lines that are laid out already. */
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
    // Unlike an expression for it this looks at the end alone.
    let end = text.length
    while (text[end - 1] === '\n') end -= 1
    return `${text.slice(0, end)}\n`
  }

  get #indentation(): number {
    return this.#writer.getIndentationLevel() * blanks
  }

  /**
   * Writes the indentation and what `end` writes, and puts the text between the two. What is written plainly the writer
   * scans for quotes, to leave the lines of a text alone; a pattern that holds a quote would start one that never ends.
   * The writer puts `followed` behind the text on the same line, so the layout leaves room for `followed`.
   */
  #lay(doc: Doc, end: () => CodeBlockWriter, followed = ''): void {
    const writer = this.#writer.write('')
    end()
    const text = print([doc, followed], this.#indentation)
    writer.unsafeInsert(writer.getLength() - 1, text.slice(0, text.length - followed.length))
  }
}

/**
 * ts-morph's writer, from where ts-morph itself takes it: ts-morph as a whole brings the compiler of TypeScript along,
 * which nothing here needs (docs/decisions/0014). Loaded when the first file is written.
 */
export function writerOfTsMorph(): typeof CodeBlockWriter {
  const tsMorph = createRequire(import.meta.url).resolve('ts-morph')
  const { default: writer }: { readonly default: typeof CodeBlockWriter } = createRequire(tsMorph)('code-block-writer')
  return writer
}

const newWriter = (): CodeBlockWriter =>
  new (writerOfTsMorph())({ indentNumberOfSpaces: blanks, newLine: '\n', useSingleQuote: true })
