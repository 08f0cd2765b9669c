import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'

const here = import.meta.dirname
const generator = join(here, '../../ninefold.ts')
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
const folder = mkdtempSync(join(tmpdir(), 'library-generated-'))

afterAll(() => rmSync(folder, { recursive: true }))

/** Runs a script; what it printed where it failed, else ''. */
function failure(script: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { cwd, encoding: 'utf8' })
  return status === 0 ? '' : `${stdout}${stderr}`
}

const generate = (out: string, cwd = here): string =>
  failure(generator, ['generate', 'library.yaml', '--out', out, '--import-ending', '.ts'], cwd)

function filesUnder(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)).replaceAll('\\', '/'))
    .sort()
}

const textsUnder = (root: string): ReadonlyMap<string, string> =>
  new Map(filesUnder(root).map(path => [path, readFileSync(join(root, path), 'utf8')]))

const strictest = {
  target: 'ES2024',
  lib: ['ES2024', 'DOM'],
  types: [],
  module: 'NodeNext',
  noEmit: true,
  allowImportingTsExtensions: true,
  erasableSyntaxOnly: true,
  exactOptionalPropertyTypes: true,
  isolatedModules: true,
  noFallthroughCasesInSwitch: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noUncheckedIndexedAccess: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  strict: true,
  verbatimModuleSyntax: true,
}

/** Type-checks a folder with the strictest settings but for `options`; '' is good. */
function typeErrors(root: string, options: object): string {
  const compilerOptions = { ...strictest, ...options }
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(root, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  return failure(tsc, ['-p', '.', '--pretty', 'false'], root)
}

const nodeTypes = { types: ['node'], typeRoots: [join(here, '../../node_modules/@types')] }

describe('the generated folder', () => {
  it('is what the document says, byte for byte', () => {
    const out = join(folder, 'again')
    expect(generate(out)).toBe('')
    const [committed, made] = [textsUnder(join(here, 'generated')), textsUnder(out)]
    const paths = [...new Set([...committed.keys(), ...made.keys()])]
    const different = paths.filter(path => committed.get(path) !== made.get(path))
    expect(different, 'generate again, as the README says').toEqual([])
  })

  it('type-checks on its own, without a package or the types of Node.js', () => {
    const alone = join(folder, 'alone')
    cpSync(join(here, 'generated'), alone, { recursive: true })
    expect(typeErrors(alone, {})).toBe('')
  })
})

describe('the example', () => {
  const modules = filesUnder(here).filter(path => path.endsWith('.ts'))
  const importedBy = (path: string): string[] =>
    [...readFileSync(join(here, path), 'utf8').matchAll(/(?:\bfrom|\bimport\(?)\s*'([^']+)'/g)].map(
      ([, name = '']) => name,
    )

  it.each(modules)('%s imports nothing of this repository but the example', path => {
    const isLocal = (name: string): boolean =>
      name.startsWith('.') && !relative(here, join(here, dirname(path), name)).startsWith('..')
    const isAllowed = (name: string): boolean => {
      if (path.startsWith('generated/')) return isLocal(name)
      return isLocal(name) || name.startsWith('node:') || (path.endsWith('.test.ts') && name === 'vitest')
    }
    expect(importedBy(path).filter(name => !isAllowed(name))).toEqual([])
  })

  it('finds the imports it judges', () => {
    expect(importedBy('server.ts')).toContain('./generated/runtime/hosts/node.ts')
  })
})

describe('the change that the guide makes', () => {
  const guide = readFileSync(join(here, 'README.md'), 'utf8')
  const project = join(folder, 'project')
  const handwritten = ['books.ts', 'covers.ts', 'main.ts', 'problems.ts', 'server.ts', 'shelf.ts', 'tour.ts']

  /** The fenced block of a language below a heading, indented as it stands in its file. */
  function block(language: string): string {
    const [, text = ''] = new RegExp(`## Change the document[^]*?\`\`\`${language}\n([^]*?)\`\`\``).exec(guide) ?? []
    return text.replace(/^(?=.)/gm, '    ')
  }

  function replace(file: string, before: string, after: string): void {
    const text = readFileSync(join(project, file), 'utf8')
    expect(text.split(before)).toHaveLength(2)
    writeFileSync(
      join(project, file),
      text.replace(before, () => after),
    )
  }

  it('breaks the compile until the new handler is written', () => {
    for (const file of ['library.yaml', ...handwritten]) cpSync(join(here, file), join(project, file))
    replace('library.yaml', '\ncomponents:\n', `\n${block('yaml')}components:\n`)
    expect(generate('generated', project)).toBe('')
    expect(typeErrors(project, nodeTypes)).toMatch(
      /^books\.ts\(\d+,\d+\): error TS2741: Property 'returnBook' is missing/,
    )
    replace('books.ts', '\n    async lendBook(', `\n${block('ts')}\n    async lendBook(`)
    expect(typeErrors(project, nodeTypes)).toBe('')
  })
})
