import { readFileSync } from 'node:fs'
import Handlebars from 'handlebars'
import { type Override, type TemplateName, templateNames } from '../options.ts'
import { docComment } from './layout/comment.ts'
import { layOut } from './layout/source/lay-out.ts'
import { firstMark, marked, unmarked } from './override-marks.ts'
import { TemplateError } from './template-error.ts'
import type { Views } from './views.ts'

type Overrides = ReadonlyMap<TemplateName, Override>
type Template = Handlebars.TemplateDelegate

/** A helper was given what its view does not have; the message names the helper. */
class UnknownMember extends Error {
  readonly lineNumber: number | undefined

  constructor(helper: string, given: Handlebars.HelperOptions) {
    super(helper)
    const { loc } = given as Handlebars.HelperOptions & { readonly loc?: hbs.AST.SourceLocation }
    this.lineNumber = loc?.start.line
  }
}

const handlebars = Handlebars.create()
/** `{{#doc}}words{{/doc}}` is a doc comment of the words; `indent` says how far to the right it stands. */
handlebars.registerHelper('doc', function (this: unknown, { fn, hash }: Handlebars.HelperOptions) {
  const indentation = typeof hash['indent'] === 'number' ? hash['indent'] : 0
  return docComment(unmarked(fn(this)), indentation).trim()
})

// In strict mode Handlebars refuses unknown members where they are printed; views leave nothing undefined for these either.
for (const name of ['each', 'if', 'unless', 'with']) {
  const helper = handlebars.helpers[name]
  handlebars.registerHelper(name, function (this: unknown, value: unknown, given: Handlebars.HelperOptions) {
    if (value === undefined) throw new UnknownMember(`{{#${name}}}`, given)
    return helper?.call(this, value, given)
  })
}

const options = { noEscape: true, strict: true, knownHelpersOnly: true, knownHelpers: { doc: true } }
const builtIn = new Map<TemplateName, Template>()
const overridden = new WeakMap<Override, Template>()
/** `{{> routes}}` in an override stands for what the built-in template makes. */
const partials: Readonly<Record<string, Template>> = Object.fromEntries(
  templateNames.map(name => [name, (view: unknown, given?: Handlebars.RuntimeOptions) => templateOf(name)(view, given)]),
)

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
    return firstMark(override) + template(view, { partials })
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

/** The words of a message, without the picture of the place and where it is. */
function saidIn(message: string): string {
  const rows = message.split('\n')
  const said = rows.length > 1 ? (rows.at(-1) ?? '') : message.replace(/ - \d+:\d+$/, '')
  return `Handlebars says "${said.slice(0, 120)}"`
}
