import type Handlebars from 'handlebars'
import type { Override } from '../../options.ts'
import { startOf } from './place.ts'
import { TemplateError } from './template-error.ts'

/** The error of a block helper whose argument is a member that the view does not have. The message names the helper. */
export class UnknownMember extends Error {
  readonly lineNumber: number | undefined

  constructor(helper: string, given: Handlebars.HelperOptions) {
    super(helper)
    this.lineNumber = startOf(given)?.line
  }
}

/**
 * Converts an error of Handlebars about a template to a `TemplateError` with a message in one line. Returns other
 * errors unchanged.
 */
export function problemOf(error: unknown, { file }: Override): unknown {
  if (!(error instanceof Error) || error instanceof TemplateError) return error
  const line = lineOf(error)
  const place = line === undefined ? file : `${file}:${line}`
  const unknown = /^"(.+)" not defined in /.exec(error.message)?.[1]
  const known = 'docs/generator.md lists what there is'
  if (error instanceof UnknownMember) {
    return new TemplateError(`${place}: ${error.message} asks for what the template is not given here: ${known}`)
  }
  if (unknown === undefined) return new TemplateError(`${place}: ${saidIn(error.message)}: mend the template`)
  return new TemplateError(`${place}: the template is given no '${unknown.slice(0, 80)}' here: ${known}`)
}

function lineOf(error: Error): string | undefined {
  const told = 'lineNumber' in error ? error.lineNumber : undefined
  return typeof told === 'number' ? String(told) : /^Parse error on line (\d+)/.exec(error.message)?.[1]
}

/** Returns the words of a message of Handlebars, without the picture of the place that Handlebars adds. */
function saidIn(message: string): string {
  const rows = message.split('\n')
  const said = rows.length > 1 ? (rows.at(-1) ?? '') : message.replace(/ - \d+:\d+$/, '')
  return `Handlebars says "${said.slice(0, 120)}"`
}
