import { readFileSync } from 'node:fs'
import Handlebars from 'handlebars'

export type TemplateName = 'area' | 'client' | 'errors' | 'filters' | 'joined-client' | 'permissions' | 'routes'

const compiled = new Map<TemplateName, Handlebars.TemplateDelegate>()

/** Fills a template with a finished view: a template looks nothing up and names nothing. */
export function render(name: TemplateName, view: object): string {
  const template = compiled.get(name) ?? compile(name)
  compiled.set(name, template)
  return template(view)
}

function compile(name: TemplateName): Handlebars.TemplateDelegate {
  const text = readFileSync(new URL(`../../templates/${name}.hbs`, import.meta.url), 'utf8')
  return Handlebars.create().compile(text, { noEscape: true, strict: true, knownHelpersOnly: true })
}
