import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { type Override, type TemplateName, templateNames } from '../options.ts'
import { fileProblem } from '../write/output-error.ts'
import { digest } from '../write/manifest.ts'
import { quoted } from '../write/quoted.ts'
import { UsageError } from './usage-error.ts'

/** The templates of a run that replace built-in templates, keyed by name. */
export type Templates = ReadonlyMap<TemplateName, Override>

const ending = '.hbs'

/** Returns the possible paths of the templates in a folder, existing or not, with `/` as separator. */
export const templateFiles = (folder: string): readonly string[] =>
  templateNames.map(name => fileOf(folder, name + ending))

const fileOf = (folder: string, name: string): string => join(folder, name).split(sep).join('/')

/**
 * Reads the templates of a folder, except hidden files. Throws `UsageError` if the folder cannot be read, if a file has
 * no name of a template, or if a file is unreadable or no UTF-8 text.
 */
export function readTemplates(folder: string): Templates {
  const files = namesIn(folder).filter(name => !name.startsWith('.'))
  return new Map(files.map(file => [nameOf(file, folder), { file: fileOf(folder, file), text: textOf(folder, file) }]))
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort()
  } catch (error) {
    throw new UsageError(`--templates ${quoted(folder)} cannot be read: ${fileProblem(error) ?? 'say another folder'}`)
  }
}

function nameOf(file: string, folder: string): TemplateName {
  const name = templateNames.find(each => each + ending === file)
  if (name !== undefined) return name
  const known = templateNames.map(each => each + ending).join(', ')
  throw new UsageError(`--templates: ${quoted(fileOf(folder, file))} is no template: name it as one of ${known}`)
}

function textOf(folder: string, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(join(folder, file)))
  } catch (error) {
    const problem = fileProblem(error) ?? 'it is no UTF-8 text: save it as such'
    throw new UsageError(`--templates: ${quoted(fileOf(folder, file))} cannot be read: ${problem}`)
  }
}

/** Returns the SHA-256 of each template, keyed by the path of its file. */
export const templateDigests = (templates: Templates = new Map()): Readonly<Record<string, string>> =>
  Object.fromEntries([...templates.values()].map(({ file, text }) => [file, digest(text)]))
