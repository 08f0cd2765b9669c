import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { generation, newFolder, removeFolder, repository, writeFiles } from '../generator/generation.ts'
import { typeCheck } from '../generator/type-check.ts'

const page = readFileSync(join(repository, 'docs/runtime.md'), 'utf8')

interface Example {
  readonly file: string
  readonly text: string
  /** The expected output of the example, one element for each line. */
  readonly printed: readonly string[]
}

/** The code blocks of the page in order; a block without a file name in its first line gets a number as its name. */
const examples: readonly Example[] = [...page.matchAll(/^```(ts|yaml)\n(.*?)^```$/gms)].map(
  ([, language = '', text = ''], index) => {
    const [, name] = /^(?:\/\/|#) ([\w-]+\.(?:ts|yaml))$/m.exec(text.split('\n', 1)[0] ?? '') ?? []
    return { file: name ?? `example-${index}.${language}`, text, printed: printedBy(text) }
  },
)

/**
 * Returns the expected output of a block: the comments after `console.log`, then the comments at the end of the block.
 */
function printedBy(text: string): readonly string[] {
  const beside = [...text.matchAll(/^.*console\.log\(.*\) \/\/ (.*)$/gm)].map(([, said = '']) => said)
  const [below = ''] = /(?:^\/\/ .*\n)+$(?![^])/m.exec(text) ?? []
  return [...beside, ...[...below.matchAll(/^\/\/ (.*)$/gm)].map(([, said = '']) => said)]
}

const programs = examples.filter(({ file }) => file.endsWith('.ts'))
const modules = readdirSync(join(repository, 'runtime'), { recursive: true, encoding: 'utf8' })
  .filter(path => path.endsWith('.ts'))
  .map(path => path.replaceAll('\\', '/'))

let folder: string
let output: { readonly complaints: string; readonly printed: ReadonlyMap<string, readonly string[]> }

beforeAll(async () => {
  folder = newFolder()
  writeFiles(folder, new Map(examples.map(({ file, text }) => [file, text])))
  const options = { runtime: { kind: 'copy' }, importEnding: '.ts', flat: true, runtimeFiles: new Map() } as const
  const { files, printed } = await generation(['todo.yaml'], folder, options)
  expect(printed.filter(line => / (?:error|warning) /.test(line))).toEqual([])
  writeFiles(join(folder, 'api'), files)
  // A copy by the generator would have only the modules that this document needs; the page shows all modules.
  cpSync(join(repository, 'runtime'), join(folder, 'api/runtime'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  output = run()
})

/** Writes a tsconfig.json for the examples, with further options in addition to those of `configuration`. */
function configure(configuration: { readonly extends?: string; readonly compilerOptions?: object }): void {
  const compilerOptions = { ...configuration.compilerOptions, typeRoots: [join(repository, 'node_modules/@types')] }
  const project = { ...configuration, compilerOptions, include: ['**/*.ts'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project))
}

afterAll(() => removeFolder(folder))

/** Runs every example in one process. Returns the printed lines, keyed by file, and the error output of the process. */
function run(): typeof output {
  const mark = 'prints'
  const calls = programs.map(({ file }) => `console.log('${mark} ${file}'); await import('./${file}')`)
  writeFileSync(join(folder, 'run.mjs'), calls.join('\n'))
  const { stdout, stderr: complaints } = spawnSync(process.execPath, ['run.mjs'], { cwd: folder, encoding: 'utf8' })
  const parts = stdout.split(new RegExp(`^${mark} (.*)\n`, 'm')).slice(1)
  const printed = new Map(
    programs.map(({ file }) => [file, (parts[parts.indexOf(file) + 1] ?? '').split('\n').filter(line => line !== '')]),
  )
  return { complaints, printed }
}

test('the examples are sound TypeScript', () => {
  configure({ extends: join(repository, 'tsconfig.json') })
  expect(typeCheck(folder)).toBe('')
})

test('the examples are sound with the configuration on the page', () => {
  const [, configuration = ''] = /^```json\n(.*?)^```$/ms.exec(page) ?? []
  configure(JSON.parse(configuration))
  expect(typeCheck(folder)).toBe('')
})

test('the examples run to their end', () => expect(output.complaints).toBe(''))

describe('an example prints its documented output', () => {
  test.each(programs)('$file', ({ file, printed }) => expect(output.printed.get(file)).toEqual(printed))
})

describe('the page documents every module', () => {
  test.each(modules)('%s', path => {
    expect(page).toContain(`\`${path}\``)
    const imported = programs.filter(({ text }) => text.includes(`'./api/runtime/${path}'`))
    expect(imported.length).toBeGreaterThan(0)
  })
})
