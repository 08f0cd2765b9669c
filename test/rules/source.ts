import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

/** A file of the repository: its path from the root, with `/`, and its text. */
export interface Source {
  readonly path: string
  readonly text: string
}

/** A place that breaks a rule; printed as `path:line message`. */
export interface Finding {
  readonly path: string
  readonly line?: number
  readonly message: string
}

/** Formats findings as lines, for assertions with readable failures. */
export function lines(findings: readonly Finding[]): string[] {
  return findings.map(({ path, line, message }) => `${path}${line === undefined ? '' : `:${line}`} ${message}`)
}

export const root = join(import.meta.dirname, '..', '..')

const foreign = new Set(['node_modules', 'dist', 'data', '.git', '.cache'])
/** The files of given cases and of expected outputs, which must keep their form. */
const fixtures = /^test\/(?:cases|golden)\//

/** Returns the files at and below `places` whose names end in `ending`, sorted and without fixtures. */
export function readSources(places: readonly string[], ending: string): Source[] {
  return places
    .flatMap(place => filesUnder(join(root, place)))
    .map(file => ({ path: relative(root, file).split(sep).join('/'), file }))
    .filter(({ path }) => path.endsWith(ending) && !fixtures.test(path))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ path, file }) => ({ path, text: readFileSync(file, 'utf8') }))
}

function filesUnder(place: string): string[] {
  try {
    return readdirSync(place, { withFileTypes: true }).flatMap(entry => {
      if (foreign.has(entry.name)) return []
      const path = join(place, entry.name)
      return entry.isDirectory() ? filesUnder(path) : [path]
    })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOTDIR') return [place]
    if (code === 'ENOENT') return []
    throw error
  }
}

/** The folders and files with the TypeScript of this repository, generated files included. */
export const ourFolders = [
  'ninefold.ts',
  'generator',
  'runtime',
  'output',
  'client',
  'cli',
  'text',
  'domain',
  'server',
  'scripts',
  'test',
  'docs',
] as const
