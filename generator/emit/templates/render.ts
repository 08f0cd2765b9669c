import { readFileSync } from 'node:fs'
import type Handlebars from 'handlebars'
import { type Override, type TemplateName, templateNames } from '../../options.ts'
import { layOut } from '../layout/source/lay-out.ts'
import { firstMark, marked } from './override-marks.ts'
import { handlebars } from './template-helpers.ts'
import { problemOf } from './template-problem.ts'
import type { Views } from '../views/views.ts'

type Overrides = ReadonlyMap<TemplateName, Override>
type Template = Handlebars.TemplateDelegate

const options = { noEscape: true, strict: true, knownHelpersOnly: true, knownHelpers: { doc: true } }
const builtIn = new Map<TemplateName, Template>()
const overridden = new WeakMap<Override, Template>()
/** The built-in templates as partials: `{{> routes}}` in an override includes a built-in template. */
const partials: Readonly<Record<string, Template>> = Object.fromEntries(
  templateNames.map(name => [
    name,
    (view: unknown, given?: Handlebars.RuntimeOptions) => templateOf(name)(view, given),
  ]),
)

/**
 * Renders a template with its view, and formats the output of a built-in template. The output of an override has marks,
 * which `finished` removes. Throws `TemplateError` for a faulty override.
 */
export function render<N extends TemplateName>(name: N, view: Views[N], overrides: Overrides = new Map()): string {
  const override = overrides.get(name)
  return override ? renderOverride(override, view) : layOut(templateOf(name)(view))
}

function templateOf(name: TemplateName): Template {
  const known = builtIn.get(name)
  if (known) return known
  const text = readFileSync(new URL(`../../../templates/${name}.hbs`, import.meta.url), 'utf8')
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

/** Throws `TemplateError` for an override that is no template, even if no document uses the override. */
export function checkOverrides(overrides: Overrides): void {
  for (const override of overrides.values()) {
    try {
      handlebars.precompile(marked(override), options)
    } catch (error) {
      throw problemOf(error, override)
    }
  }
}
