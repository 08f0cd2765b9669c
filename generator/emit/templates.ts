import { readFileSync } from 'node:fs'
import Handlebars from 'handlebars'
import type { Override, TemplateName } from '../options.ts'
import { docComment } from './layout/comment.ts'
import { layOut } from './layout/source/lay-out.ts'
import { marked, unmarked } from './override-marks.ts'
import { TemplateError } from './template-error.ts'
import type { Views } from './views.ts'

type Overrides = ReadonlyMap<TemplateName, Override>
type Template = Handlebars.TemplateDelegate

const handlebars = Handlebars.create()
/** `{{#doc}}words{{/doc}}` is a doc comment of the words; `indent` says how far to the right it stands. */
handlebars.registerHelper('doc', function (this: unknown, { fn, hash }: Handlebars.HelperOptions) {
  const indentation = typeof hash['indent'] === 'number' ? hash['indent'] : 0
  return docComment(unmarked(fn(this)), indentation).trim()
})

const options = { noEscape: true, strict: true, knownHelpersOnly: true, knownHelpers: { doc: true } }
const builtIn = new Map<TemplateName, Template>()
const overridden = new WeakMap<Override, Template>()

/**
 * Fills a template with its view: a template looks nothing up and names nothing. The output of a built-in one is laid out
 * here; that of an override has marks, which `finished` takes out. Throws `TemplateError` for what is wrong with an
 * override.
 */
export function render<N extends TemplateName>(name: N, view: Views[N], overrides: Overrides = new Map()): string {
  const override = overrides.get(name)
  return override ? renderOverride(override, view) : layOut(templateOf(name)(view))
}

function templateOf(name: TemplateName): Template {
  const known = builtIn.get(name)
  if (known) return known
  const text = readFileSync(new URL(`../../templates/${name}.hbs`, import.meta.url), 'utf8')
  const template = handlebars.compile(text, options)
  builtIn.set(name, template)
  return template
}

function renderOverride(override: Override, view: object): string {
  try {
    const template = overridden.get(override) ?? handlebars.compile(marked(override), options)
    overridden.set(override, template)
    return template(view)
  } catch (error) {
    throw problemOf(error, override)
  }
}

/** Throws `TemplateError` for overrides that are no templates, whether they are used or not. */
export function checkOverrides(overrides: Overrides): void {
  for (const override of overrides.values()) {
    try {
      handlebars.precompile(marked(override), options)
    } catch (error) {
      throw problemOf(error, override)
    }
  }
}

/** What Handlebars says of a template, in a line. */
function problemOf(error: unknown, { file }: Override): unknown {
  if (!(error instanceof Error)) return error
  const { lineNumber } = error as Error & { readonly lineNumber?: number }
  const line = lineNumber ?? /^Parse error on line (\d+)/.exec(error.message)?.[1]
  const unknown = /^"(.+)" not defined in /.exec(error.message)?.[1]
  if (unknown !== undefined) {
    return new TemplateError(
      `${file}:${line}: '${unknown.slice(0, 80)}' is no member of what the template is given here: docs/generator.md lists them`,
    )
  }
  return line === undefined ? error : new TemplateError(`${file}:${line}: ${saidIn(error.message)}: mend the template`)
}

/** The words of a message, without the picture of the place and where it is. */
function saidIn(message: string): string {
  const rows = message.split('\n')
  const said = rows.length > 1 ? (rows.at(-1) ?? '') : message.replace(/ - \d+:\d+$/, '')
  return `Handlebars says "${said.slice(0, 120)}"`
}
