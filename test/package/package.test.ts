import { execFile } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root, toolFile } from '../../scripts/project.ts'

const run = promisify(execFile)

const compiled: readonly string[] = JSON.parse(readFileSync(join(root, 'tsconfig.build.json'), 'utf8')).include

/** The files and folders from which the package is built, in addition to `node_modules`, which is a link. */
const sources = [
  ...compiled,
  'README.md',
  'package.json',
  'scripts',
  'specs',
  'templates',
  'tsconfig.build.json',
  'tsconfig.json',
]

const isWindows = process.platform === 'win32'

const hasNpm = await run('npm', ['--version'], { shell: isWindows }).then(
  () => true,
  () => false,
)
const folder = mkdtempSync(join(tmpdir(), 'ninefold-package-'))
const checkout = join(folder, 'checkout')
const project = join(folder, 'project')

const npm = (cwd: string, ...args: string[]) => run('npm', args, { cwd, shell: isWindows })

/** Runs the installed command with the Node.js that npx finds. */
const ninefold = (...args: string[]) => run('npx', ['ninefold', ...args], { cwd: project, shell: isWindows })

/** Packs a build of the sources; returns the path of the tarball. */
async function pack(): Promise<string> {
  for (const source of sources) cpSync(join(root, source), join(checkout, source), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'), 'junction')
  await run(process.execPath, [join(checkout, 'scripts', 'build.ts')])
  await npm(checkout, 'pack', '--ignore-scripts', '--pack-destination', folder)
  const tarball = readdirSync(folder).find(name => name.endsWith('.tgz'))
  if (tarball === undefined) throw new Error('npm pack made no tarball')
  return join(folder, tarball)
}

/**
 * Type-checks a folder without packages under the strictest settings; returns the errors, or an empty text for success.
 */
async function typeCheck(cwd: string, options: object): Promise<string> {
  const compilerOptions = { ...strictest, ...options }
  writeFileSync(join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }))
  const tsc = [toolFile('typescript', 'tsc'), '-p', '.', '--pretty', 'false']
  return run(process.execPath, tsc, { cwd }).then(
    ({ stdout }) => stdout,
    (error: { readonly stdout: string }) => error.stdout,
  )
}

const strictest = {
  target: 'ES2024',
  lib: ['ES2024', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
  types: [],
  module: 'NodeNext',
  noEmit: true,
  strict: true,
  allowUnreachableCode: false,
  erasableSyntaxOnly: true,
  exactOptionalPropertyTypes: true,
  isolatedModules: true,
  noFallthroughCasesInSwitch: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noUncheckedIndexedAccess: true,
  noUncheckedSideEffectImports: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  verbatimModuleSyntax: true,
}

const manifest = JSON.stringify({ name: 'project', private: true, type: 'module' })

describe.skipIf(!hasNpm)('the packed package in an empty folder (needs npm)', () => {
  beforeAll(async () => {
    mkdirSync(project)
    writeFileSync(join(project, 'package.json'), manifest)
    copyFileSync(join(import.meta.dirname, 'petstore.yaml'), join(project, 'petstore.yaml'))
    await npm(project, 'install', await pack(), '--prefer-offline', '--no-audit', '--no-fund')
  }, 300_000)

  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('has the command and the runtime, and no tests', () => {
    const installed = join(project, 'node_modules', 'ninefold')
    expect(readdirSync(installed).sort()).toEqual(['README.md', 'dist', 'package.json', 'runtime'])
  })

  it('installs no server for users of the generator', () => {
    const installed = readdirSync(join(project, 'node_modules'))
    expect(installed).toContain('yaml')
    expect(installed).not.toContain('fastify')
  })

  it('explains itself', async () => {
    const { stdout } = await ninefold('--help')
    expect(stdout).toContain('Usage: ninefold')
    expect(stdout).toContain('generate')
  })

  it('generates code with a copied runtime that type-checks without a package or the types of Node.js', async () => {
    await ninefold('generate', 'petstore.yaml', '--out', 'src/api')
    const alone = join(folder, 'alone')
    cpSync(join(project, 'src'), join(alone, 'src'), { recursive: true })
    writeFileSync(join(alone, 'package.json'), manifest)
    copyFileSync(join(import.meta.dirname, 'consumer.ts.txt'), join(alone, 'src', 'consumer.ts'))
    expect(await typeCheck(alone, {})).toBe('')
    await expect(ninefold('generate', 'petstore.yaml', '--out', 'src/api', '--check')).resolves.toBeDefined()
  })

  it('has its templates, each of which can be overridden', async () => {
    const templates = join(project, 'node_modules', 'ninefold', 'dist', 'templates')
    cpSync(templates, join(project, 'mine'), { recursive: true })
    await ninefold('generate', 'petstore.yaml', '--out', 'templated', '--templates', 'mine')
    await expect(ninefold('generate', 'petstore.yaml', '--out', 'templated', '--check')).resolves.toBeDefined()
    writeFileSync(join(project, 'mine', 'client.hbs'), '{{> client}}\n\nexport const mine = true\n')
    await ninefold('generate', 'petstore.yaml', '--out', 'templated', '--templates', 'mine')
    expect(readFileSync(join(project, 'templated', 'client.ts'), 'utf8')).toMatch(/\nexport const mine = true\n$/)
  })

  it('lets generated code import the runtime from the package, declarations included', async () => {
    await ninefold('generate', 'petstore.yaml', '--out', 'packaged/src', '--runtime', 'package')
    writeFileSync(join(project, 'packaged', 'package.json'), manifest)
    expect(await typeCheck(join(project, 'packaged'), {})).toBe('')
    const script = "import('./packaged/runtime-user.mjs').then(({ answer }) => console.log(answer))"
    writeFileSync(
      join(project, 'packaged', 'runtime-user.mjs'),
      "import { ApiError } from 'ninefold/runtime/errors'\nexport const answer = typeof ApiError\n",
    )
    const { stdout } = await run(process.execPath, ['--eval', script], { cwd: project })
    expect(stdout.trim()).toBe('function')
  })
})
