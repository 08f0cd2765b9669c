import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { dashboardStyles, sharedStyles } from './styles.ts'

/** A file for browsers. */
interface PageFile {
  readonly type: 'css' | 'javascript'
  readonly body: string
  /** The strong entity tag of the body, in quotation marks. */
  readonly etag: string
}

/** The files of a folder, keyed by name, as functions that return the file; undefined for a missing package. */
export type PageFiles = ReadonlyMap<string, () => Promise<PageFile | undefined>>

/** The modules of the page of dashboards, in the folder `browser`. */
const dashboardModules = ['dashboards', 'panel', 'panels', 'plot', 'query', 'scales', 'session', 'table'] as const

/** The modules of the page for signing in. */
const signInModules = ['session', 'sign-in'] as const

/** Returns the files of the page for signing in. */
export const signInFiles = (): PageFiles =>
  new Map([['pages.css', pageFile('css', async () => sharedStyles)], ...signInModules.map(moduleEntry)])

/** Returns the files of the page of dashboards. */
export const dashboardFiles = (): PageFiles =>
  new Map([
    ['dashboards.css', pageFile('css', async () => sharedStyles + dashboardStyles)],
    ['uplot.css', pageFile('css', () => plotFile('styles'))],
    ['uplot.js', pageFile('javascript', () => plotFile('script'))],
    ...dashboardModules.map(moduleEntry),
  ])

const moduleEntry = (name: string) => [`${name}.js`, pageFile('javascript', () => browserModule(name))] as const

/** The ending of the program's own modules: `.ts` in a checkout, `.js` in the package. */
const ending = extname(import.meta.filename)

/** The files of the package `uplot`, which draws lines. The package may not be installed. */
const plotFiles = { script: 'uplot/dist/uPlot.esm.js', styles: 'uplot/dist/uPlot.min.css' } as const

/** Whether the package that draws lines is installed. */
export const hasPlots = (): boolean => pathOf(plotFiles.script) !== undefined

/** Returns a file of the package that draws lines; undefined if the package is not installed. */
async function plotFile(kind: keyof typeof plotFiles): Promise<string | undefined> {
  const path = pathOf(plotFiles[kind])
  return path === undefined ? undefined : readFile(path, 'utf8')
}

function pathOf(file: string): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(file)
  } catch {
    return undefined
  }
}

let modules: Promise<ReadonlyMap<string, string>> | undefined

/** Returns a module of the folder `browser` as JavaScript, with the URLs of its siblings as imports. */
async function browserModule(name: string): Promise<string | undefined> {
  modules ??= readModules().catch((error: unknown) => {
    modules = undefined
    throw error
  })
  return (await modules).get(name)
}

/** Reads all modules of the folder `browser`. A checkout has them in TypeScript. */
async function readModules(): Promise<ReadonlyMap<string, string>> {
  const names = [...new Set<string>([...dashboardModules, ...signInModules])]
  const read = (name: string) => readFile(new URL(`browser/${name}${ending}`, import.meta.url), 'utf8')
  const sources = await Promise.all(names.map(read))
  const texts = ending === '.ts' ? await withoutTypes(sources) : sources
  return new Map(names.map((name, index) => [name, withUrls(texts[index] ?? '')]))
}

const withUrls = (source: string): string =>
  source
    .replaceAll(/(from '\.\/[a-z-]+)\.ts'/g, "$1.js'")
    .replaceAll("from 'uplot'", "from './uplot.js'")
    .replaceAll(/^\/\/# sourceMappingURL=.*$/gm, '')

/** Removes the types of sources in a thread, because that takes longer than calls should wait. */
async function withoutTypes(sources: readonly string[]): Promise<readonly string[]> {
  const thread = new Worker(new URL(`strip-types${ending}`, import.meta.url), { workerData: sources, stderr: true })
  const [texts]: readonly unknown[] = await once(thread, 'message')
  return Array.isArray(texts) ? texts.map(String) : []
}

/** Returns a function that returns a file, whose body is read once. A failure and an absent file are not kept. */
function pageFile(
  type: PageFile['type'],
  read: () => Promise<string | undefined>,
): () => Promise<PageFile | undefined> {
  let file: PageFile | undefined
  return async () => {
    const body = file?.body ?? (await read())
    if (body === undefined) return undefined
    file ??= { type, body, etag: `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"` }
    return file
  }
}
