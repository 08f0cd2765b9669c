import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Override, type TemplateName, templateNames } from '../../generator/options.ts'
import { repository } from './generation.ts'

export type Templates = ReadonlyMap<TemplateName, Override>

const read = (path: string): string => readFileSync(join(repository, path), 'utf8')

export const builtInText = (name: TemplateName): string => read(`templates/${name}.hbs`)

/** The built-in templates, keyed by name, each as an override of itself. */
export const builtIns: Templates = new Map(
  templateNames.map(name => [name, { file: `own/${name}.hbs`, text: builtInText(name) }]),
)

/**
 * The overrides in docs/generator.md, keyed by the name of the template; the page names the file before each code
 * block.
 */
export const documented: Templates = new Map(
  [...read('docs/generator.md').matchAll(/^`([a-z-]+)\.hbs` [^\n]*:\n\n```mustache\n([^]*?)^```$/gm)].map(
    ([, name = '', text = '']) => [
      templateNames.find(each => each === name) ?? 'area',
      { file: `docs/${name}.hbs`, text },
    ],
  ),
)

/** Returns an override of one built-in template. */
export const one = (name: TemplateName, text: string): Templates =>
  new Map([[name, { file: `mine/${name}.hbs`, text }]])
