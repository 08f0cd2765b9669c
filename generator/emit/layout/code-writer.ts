import { createRequire } from 'node:module'
import type { CodeBlockWriter } from 'ts-morph'
import { commentLines } from './comment.ts'
import { type Doc, print } from './doc.ts'

const blanks = 2
/** The text that ts-morph's writer puts between the head and the content of a block. */
const opening = ' {'
/** The length of code in characters from which on a blank line ends a part of a file. */
const partLength = 50_000

/**
 * Writes code with ts-morph's writer, which keeps the indentation, opens and closes blocks and separates their parts.
 * The layout engine breaks statements that are too long for their place.
 */
export class CodeWriter {
  #writer = newWriter()
  /** The code before that of the writer, in order. */
  readonly #parts: string[] = []

  /** Writes a statement, or a member of an interface, and ends its line. */
  print(doc: Doc): void {
    this.#lay(doc, () => this.#writer.newLine())
  }

  /** Writes `head { }`; `body` writes the content. The head breaks if the head and its brace together exceed a line. */
  block(head: Doc, body: () => void): void {
    this.#lay(head, () => this.#writer.space(), opening)
    this.#writer.block(body)
  }

  /**
   * Writes a doc comment with words of the document. Writes nothing if the words are empty and `isDeprecated` is false.
   */
  comment(text = '', isDeprecated = false): void {
    const lines = commentLines(text, this.#indentation, isDeprecated)
    if (lines.length > 0) this.#insert(lines.join(`\n${' '.repeat(this.#indentation)}`), () => this.#writer.newLine())
  }

  /** Adds a blank line, unless the last line is blank already. */
  blank(): void {
    if (this.#parts.length > 0 && this.#writer.getLength() === 0) return
    this.#writer.blankLineIfLastNot()
    if (this.#writer.getLength() > partLength && this.#indentation === 0) this.#endPart()
  }

  /** Writes lines of formatted code. */
  write(text: string): void {
    if (text !== '') this.#insert(text.endsWith('\n') ? text.slice(0, -1) : text, () => this.#writer.newLine())
  }

  /** Inserts the code of another writer and a blank line at the start; inserts nothing for an empty writer. */
  hoist(code: CodeWriter): void {
    if (!code.isEmpty) this.#parts.unshift(`${code.toString()}\n`)
  }

  get isEmpty(): boolean {
    return this.#parts.length === 0 && this.#writer.getLength() === 0
  }

  /** Returns the code so far, with one line end at its end. */
  toString(): string {
    const text = this.#parts.join('') + this.#writer.toString()
    // A regular expression would scan the whole text; the loop reads only the end of the text.
    let end = text.length
    while (text[end - 1] === '\n') end -= 1
    return `${text.slice(0, end)}\n`
  }

  /**
   * Joins the code of the writer, and goes on with a new writer. The writer keeps a text for every few words, and garbage
   * collections would copy the texts of a large file again and again.
   */
  #endPart(): void {
    this.#parts.push(this.#writer.toString())
    this.#writer = newWriter()
  }

  get #indentation(): number {
    return this.#writer.getIndentationLevel() * blanks
  }

  /**
   * Prints `doc` at the current indentation, and calls `end` to end the statement. `end` also writes `followed` on the
   * same line, so the layout leaves room for `followed`.
   */
  #lay(doc: Doc, end: () => CodeBlockWriter, followed = ''): void {
    const text = print(followed === '' ? doc : [doc, followed], this.#indentation)
    this.#insert(text.slice(0, text.length - followed.length), end)
  }

  /**
   * Writes formatted text at the current indentation, and calls `end` to end the statement. The text bypasses the
   * writer's scan: the writer scans plain text for quotes in order to leave multi-line strings unchanged, and would take
   * a pattern with a quote for an endless string.
   */
  #insert(text: string, end: () => CodeBlockWriter): void {
    const writer = this.#writer.write('')
    end()
    writer.unsafeInsert(writer.getLength() - 1, text)
  }
}

/**
 * Loads the writer class of ts-morph from the package `code-block-writer`. The import of ts-morph itself would load the
 * TypeScript compiler, which the writer does not need (docs/decisions/0014).
 */
export function writerOfTsMorph(): typeof CodeBlockWriter {
  const tsMorph = createRequire(import.meta.url).resolve('ts-morph')
  const { default: writer }: { readonly default: typeof CodeBlockWriter } = createRequire(tsMorph)('code-block-writer')
  return writer
}

let writerClass: typeof CodeBlockWriter | undefined

const newWriter = (): CodeBlockWriter =>
  new (writerClass ??= writerOfTsMorph())({ indentNumberOfSpaces: blanks, newLine: '\n', useSingleQuote: true })
