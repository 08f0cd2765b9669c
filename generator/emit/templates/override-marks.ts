import Handlebars from 'handlebars'
import { type Override, templateNames } from '../../options.ts'
import { TemplateError } from './template-error.ts'

/** Matches a mark, which names the template line of the text after it. Generated text has no control characters. */
const mark = /\u0001([^\u0001\u0002]*):(\d+)\u0002/g

const markOf = (file: string, line: number): string => `\u0001${file}:${line}\u0002`

/**
 * Returns the mark that precedes all text of an override. A built-in template that an override includes makes no marks.
 */
export const firstMark = ({ file }: Override): string => markOf(file, 1)

/** Compiles an override with a mark before each line of its text. Throws `TemplateError` for unknown partials. */
export function marked({ file, text }: Override): hbs.AST.Program {
  const program = Handlebars.parse(text.replaceAll(/[\u0001\u0002\r]/g, ''))
  const marker = new Marker(file)
  marker.accept(program)
  return program
}

/** Removes the marks from a text. */
export const unmarked = (text: string): string => text.replace(mark, '')

class Marker extends Handlebars.Visitor {
  readonly #file: string

  constructor(file: string) {
    super()
    this.#file = file
  }

  override PartialStatement({ loc, name }: hbs.AST.PartialStatement): void {
    this.#expectBuiltIn(loc, name)
  }

  override PartialBlockStatement({ loc, name }: hbs.AST.PartialBlockStatement): void {
    this.#expectBuiltIn(loc, name)
  }

  #expectBuiltIn({ start }: hbs.AST.SourceLocation, name: hbs.AST.PathExpression | hbs.AST.SubExpression): void {
    const known: readonly string[] = templateNames
    if ('original' in name && known.includes(name.original)) return
    throw new TemplateError(
      `${this.#file}:${start.line}: {{> ...}} stands for a built-in template: say one of ${known.join(', ')}`,
    )
  }

  override ContentStatement(content: hbs.AST.ContentStatement): void {
    const { original, value } = content
    const from = Math.max(0, String(original).indexOf(value))
    let line = content.loc.start.line + String(original).slice(0, from).split('\n').length - 1
    content.value = value
      .split('\n')
      .map(row => markOf(this.#file, line++) + row)
      .join('\n')
  }
}

/** A text and the template lines that made it. */
export interface Traced {
  readonly text: string
  /** The text before the first mark, which no template made. */
  readonly head: string
  readonly body: string
  /** Returns the template's place, `file:line`, for the character of `text` at `index`. */
  placeAt(index: number): string
}

/** Returns the traced text of an override's file; undefined for other files. */
export function traced(text: string): Traced | undefined {
  const marks: { readonly at: number; readonly place: string }[] = []
  let removed = 0
  for (const { 0: all, 1: file, 2: line, index } of text.matchAll(mark)) {
    marks.push({ at: index - removed, place: `${file}:${line}` })
    removed += all.length
  }
  const [first] = marks
  if (!first) return undefined
  const plain = unmarked(text)
  return {
    text: plain,
    head: plain.slice(0, first.at),
    body: plain.slice(first.at),
    placeAt: index => (marks.findLast(({ at }) => at <= index) ?? first).place,
  }
}
