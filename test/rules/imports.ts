import { posix } from 'node:path'
import type { Finding } from './source.ts'
import type { Import, Syntax } from './syntax.ts'

/**
 * The allowed imports of the files that match `of`. `ours` and `packages` are matched against paths and package names.
 */
interface Rule {
  readonly name: string
  readonly of: RegExp
  /** Paths of the repository; `$1` stands for the first group of `of`. */
  readonly ours: readonly string[]
  /** Paths from which only types may be imported. */
  readonly types?: readonly string[]
  /** The allowed packages and modules of Node.js; all are allowed if this list is absent. */
  readonly packages?: readonly string[]
}

const areas = 'compute|iam|network|observability|registry|storage|taxonomy|topology|vault'

/**
 * The files of `read` that navigate in a loaded document, which the model uses too; the other files load and check
 * documents.
 */
const documentWalking = 'branches|dialect|fits|located|operations|pointer|reasons|reference|resolve|servers|suggest'

/**
 * Libraries of pure computation, which domain code may use: they open no files or connections (docs/decisions/0009).
 */
const computing = [
  'node:crypto',
  'node:url',
  'node:zlib',
  '@noble/curves',
  '@peculiar/asn1-csr',
  '@peculiar/asn1-schema',
  '@peculiar/asn1-x509',
  '@smithy/signature-v4',
  'ae-cvss-calculator',
  'croner',
  'jose',
  'lru-cache',
  'packageurl-js',
  'ipaddr.js',
  'image-size',
  '@zxcvbn-ts/language-common',
  '@cyclonedx/cyclonedx-library',
  '@prometheus-io/lezer-promql',
  '@grafana/lezer-logql',
  '@lezer/common',
  're2js',
  'protobufjs',
]

/** The modules that all stages of the generator share: positions, patterns, diagnostics, options and outlines of documents. */
const generatorShared = String.raw`generator/(?:diagnostics|document-outline|identifier|options|pattern|position)\.ts$`

/**
 * The import rules. The first rule that matches a file decides; files without a matching rule (scripts, tests and the
 * command) may import everything.
 */
const rules: readonly Rule[] = [
  { name: 'runtime', of: /^runtime\//, ours: ['runtime/'], packages: [] },
  {
    name: 'generator/emit',
    of: /^generator\/emit\//,
    ours: ['generator/emit/', 'generator/model/types.ts', generatorShared],
    packages: ['ts-morph', 'handlebars', 'prettier', 'node:fs', 'node:module', 'node:path'],
  },
  {
    name: 'generator/model',
    of: /^generator\/model\//,
    ours: ['generator/model/', generatorShared, `generator/read/(?:${documentWalking})\\.ts$`],
    types: ['generator/read/'],
    packages: ['node:path'],
  },
  {
    name: 'generator/read',
    of: /^generator\/read\//,
    ours: ['generator/read/', generatorShared],
  },
  {
    name: 'generator/write',
    of: /^generator\/write\//,
    ours: ['generator/write/', generatorShared],
    types: ['generator/model/types.ts'],
  },
  {
    name: 'generator/scaffold',
    of: /^generator\/scaffold\//,
    ours: ['generator/scaffold/', generatorShared],
    types: ['generator/model/types.ts'],
  },
  { name: 'generator', of: /^generator\//, ours: ['generator/'] },
  { name: 'client', of: /^client\//, ours: ['client/', 'output/', 'runtime/'], packages: [] },
  {
    name: 'cli',
    of: /^cli\//,
    ours: ['cli/', 'client/', 'output/', 'runtime/', 'text/', 'domain/resources/crc32c.ts'],
  },
  { name: 'text', of: /^text\//, ours: ['text/'], packages: [] },
  { name: 'server', of: /^server\//, ours: ['server/', 'domain/', 'generator/', 'output/', 'runtime/', 'text/'] },
  { name: 'output/shared', of: /^output\/shared\//, ours: ['output/shared/', 'runtime/'], packages: [] },
  { name: 'output', of: /^output\/([^/]+)\//, ours: ['output/$1/', 'output/shared/', 'runtime/'], packages: [] },
  { name: 'output root', of: /^output\/[^/]+$/, ours: ['output/', 'runtime/'], packages: [] },
  { name: 'domain/ports', of: /^domain\/ports\//, ours: ['domain/ports/'], types: ['runtime/'], packages: [] },
  {
    name: 'domain/<area>',
    of: new RegExp(`^domain/(${areas})/`),
    ours: ['domain/$1/', 'output/$1/', 'output/shared/', 'runtime/', `domain/(?!(?:${areas})/)`],
    packages: computing,
  },
  {
    name: 'domain shared by areas',
    of: /^(domain\/[^/]+\/)/,
    ours: ['$1', 'domain/ports/', 'output/shared/', 'runtime/'],
    packages: computing,
  },
  { name: 'docs/example-service', of: /^docs\/example-service\//, ours: ['docs/example-service/'] },
]

/** Finds imports that break the rules of the architecture (docs/architecture.md). */
export function forbiddenImports(files: readonly Syntax[]): Finding[] {
  return files.flatMap(file => {
    const rule = rules.find(({ of }) => of.test(file.path))
    if (rule === undefined) return []
    return file.imports
      .filter(imported => !isAllowed(rule, file.path, imported))
      .map(({ specifier, line }) => ({ path: file.path, line, message: `${rule.name} must not import '${specifier}'` }))
  })
}

function isAllowed(rule: Rule, path: string, { specifier, typeOnly }: Import): boolean {
  if (!specifier.startsWith('.'))
    return rule.packages === undefined || rule.packages.some(name => isOf(specifier, name))
  const target = resolve(path, specifier)
  const caught = rule.of.exec(path)?.[1] ?? ''
  const fits = (prefix: string) => new RegExp(`^${prefix.replaceAll('$1', caught)}`).test(target)
  return rule.ours.some(fits) || (typeOnly && (rule.types ?? []).some(fits))
}

function isOf(specifier: string, name: string): boolean {
  return specifier === name || specifier.startsWith(`${name}/`)
}

/**
 * Finds files that import each other in a cycle, types included: a reader of one file would have to read all of them.
 */
export const cycles = (files: readonly Syntax[]): Finding[] =>
  circles(new Map(files.map(({ path, imports }) => [path, targetsOf(path, imports)])))

/**
 * Finds folders of one parent that import each other in a cycle, types included. Files in the parent itself belong to
 * no folder: they compose the folders, or the folders share them.
 */
export function folderCycles(files: readonly Syntax[]): Finding[] {
  const targets = new Map<string, Set<string>>()
  for (const { imports, path } of files) {
    for (const target of targetsOf(path, imports)) {
      const [from, to] = siblingsOf(path, target)
      if (from === undefined || to === undefined) continue
      targets.set(from, (targets.get(from) ?? new Set()).add(to))
    }
  }
  return circles(targets)
}

/**
 * Returns the folders in which two paths part, below their common parent; undefined for a path that lies in the parent.
 */
function siblingsOf(path: string, target: string): readonly [string | undefined, string | undefined] {
  const [own, other] = [path.split('/'), target.split('/')]
  const depth = own.findIndex((step, i) => step !== other[i])
  const folder = (steps: readonly string[]) =>
    steps.length > depth + 1 ? steps.slice(0, depth + 1).join('/') : undefined
  return [folder(own), folder(other)]
}

function circles(targets: ReadonlyMap<string, Iterable<string>>): Finding[] {
  const state = new Map<string, 'open' | 'done'>()
  const found: Finding[] = []
  const visit = (path: string, way: readonly string[]): void => {
    if (state.get(path) === 'done') return
    if (state.get(path) === 'open') {
      found.push({ path, message: `imports itself: ${[...way.slice(way.indexOf(path)), path].join(' -> ')}` })
      return
    }
    state.set(path, 'open')
    for (const target of targets.get(path) ?? []) visit(target, [...way, path])
    state.set(path, 'done')
  }
  for (const path of targets.keys()) visit(path, [])
  return found
}

function targetsOf(path: string, imports: readonly Import[]): string[] {
  return imports.filter(({ specifier }) => specifier.startsWith('.')).map(({ specifier }) => resolve(path, specifier))
}

function resolve(path: string, specifier: string): string {
  return posix.join(posix.dirname(path), specifier)
}
