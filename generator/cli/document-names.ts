import { basename, extname } from 'node:path'
import { clientName } from '../emit/names.ts'
import { runtimeFolder } from '../runtime-copy.ts'
import { quoted } from '../write/quoted.ts'
import { UsageError } from './usage-error.ts'

/** A document with its name. */
export interface NamedDocument {
  readonly file: string
  /**
   * The name of the document: the prefix of generated names and, in a run of several documents, the name of the output
   * folder.
   */
  readonly name: string
}

const namePattern = /^[a-z][A-Za-z0-9]*$/

/**
 * Names each document by its `--name file=name`, where `file` is the path as given, the file name or its stem. A
 * document without `--name` has its stem in camel case as its name. Throws `UsageError` if a name is invalid, belongs
 * to two documents (ignoring case), is the runtime's folder in a run of several documents, or is given for no document.
 */
export function documentNames(files: readonly string[], given: readonly string[]): NamedDocument[] {
  const chosen = new Map(given.map(parseName))
  const unused = new Set(chosen.keys())
  const documents = files.map(file => {
    const key = [file, basename(file), stemOf(file)].find(candidate => chosen.has(candidate))
    if (key === undefined) return { file, name: camelCase(stemOf(file)) }
    unused.delete(key)
    return { file, name: chosen.get(key) ?? '' }
  })
  for (const key of unused) throw new UsageError(`--name ${quoted(key)} is none of the documents`)
  refuseClashes(documents)
  return documents
}

function parseName(text: string): readonly [file: string, name: string] {
  const split = text.lastIndexOf('=')
  if (split < 1) throw new UsageError(`--name ${quoted(text)} is not of the form file=name`)
  const name = text.slice(split + 1)
  if (namePattern.test(name)) return [text.slice(0, split), name]
  throw new UsageError(`--name ${quoted(text)}: a name is a lower-case letter, then letters and digits`)
}

function refuseClashes(documents: readonly NamedDocument[]): void {
  const seen = new Map<string, string>()
  for (const { file, name } of documents) {
    if (!namePattern.test(name)) {
      throw new UsageError(`${quoted(file)} gives no name: say one with --name ${quoted(`${file}=name`)}`)
    }
    // On some file systems, folder names that differ only in case mean the same folder.
    const key = name.toLowerCase()
    if (documents.length > 1 && key === runtimeFolder) {
      throw new UsageError(`${quoted(file)} would take the folder ${quoted(name)}: say another with --name file=name`)
    }
    const other = seen.get(key)
    if (other !== undefined) {
      throw new UsageError(
        `${quoted(other)} and ${quoted(file)} are both named ${quoted(name)}: say another with --name file=name`,
      )
    }
    seen.set(key, file)
  }
}

/**
 * Returns the class name that `--client` gives; undefined without `--client`. Throws `UsageError` if the name is no
 * class name, is `Transport` or the client class of a document, or if there is only one document.
 */
export function joinedClient(name: string | undefined, documents: readonly NamedDocument[]): string | undefined {
  if (name === undefined) return undefined
  if (documents.length === 1) throw new UsageError('--client joins the clients of several documents: this is one')
  if (!/^[A-Z][A-Za-z0-9]*$/.test(name)) {
    throw new UsageError(`--client ${quoted(name)}: a name is a capital letter, then letters and digits`)
  }
  const taken = ['Transport', ...documents.map(document => clientName(document.name))]
  if (taken.includes(name)) throw new UsageError(`--client ${quoted(name)} is taken: say another name`)
  return name
}

const stemOf = (file: string): string => basename(file, extname(file))

function camelCase(stem: string): string {
  const words = stem.split(/[^A-Za-z0-9]+/).filter(word => word !== '')
  const joined = words.map((word, index) => (index === 0 ? lowerFirst(word) : upperFirst(word))).join('')
  return /^[0-9]/.test(joined) ? `api${joined}` : joined
}

const lowerFirst = (word: string): string =>
  word === word.toUpperCase() ? word.toLowerCase() : word.slice(0, 1).toLowerCase() + word.slice(1)
const upperFirst = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1)
