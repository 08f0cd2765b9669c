import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { generateArguments } from '../../scripts/project.ts'
import { generate as generateIn } from '../generator/cli/command-line.ts'

/**
 * The root of the project. The tests follow the walk of a developer who changes a spec, in a copy of the project
 * (architecture §7).
 */
const project = fileURLToPath(new URL('../..', import.meta.url))
const copy = mkdtempSync(join(tmpdir(), 'ninefold-walk-'))
afterAll(() => rmSync(copy, { recursive: true, force: true }))

const copied = [
  'specs',
  'output',
  'cli',
  'client',
  'domain',
  'runtime',
  'server',
  'generator',
  'templates',
  'scripts',
  'text',
  'ninefold.ts',
  'package.json',
]
for (const name of copied) cpSync(join(project, name), join(copy, name), { recursive: true })
symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'), 'dir')
const tsconfig = {
  extends: join(project, 'tsconfig.json'),
  include: ['output', 'domain', 'server'],
  // TypeScript checks only changed files and their users again.
  compilerOptions: { incremental: true, tsBuildInfoFile: join(copy, 'tsbuildinfo') },
}
writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify(tsconfig))

interface Run {
  readonly code: number
  readonly output: string
}

function run(...args: readonly string[]): Promise<Run> {
  const { promise, resolve } = Promise.withResolvers<Run>()
  execFile(process.execPath, args, { cwd: copy }, (error, stdout, stderr) => {
    resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr })
  })
  return promise
}

/** Generates in this process, which starts much faster than the command. */
async function generate(...options: readonly string[]): Promise<Run> {
  const [, , ...words] = generateArguments()
  const { err, out, status } = await generateIn(copy, ...words, ...options)
  return { code: status ?? 1, output: out + err }
}

const compile = (): Promise<Run> =>
  run(join(project, 'node_modules/typescript/bin/tsc'), '-p', '.', '--pretty', 'false')

function edit(file: string, from: string, to: string): void {
  const path = join(copy, file)
  const text = readFileSync(path, 'utf8')
  if (!text.includes(from)) throw new Error(`${file} does not hold ${JSON.stringify(from)}`)
  writeFileSync(path, text.replace(from, to))
}

const operation = `
  /taxonomy/v1/quotas/{id}:reset:
    post:
      operationId: resetQuota
      tags: [quotas]
      summary: Sets a quota back to its built-in limit
      description: Sets the default limit back. Raises \`QUOTA_NOT_FOUND\`.
      x-access: { kind: permission, key: taxonomy.quotas.update, class: ADMIN, scope: platform }
      x-mode: sync
      x-raises: [QUOTA_NOT_FOUND]
      parameters:
        - { name: id, in: path, required: true, description: The quota., schema: { type: string } }
      responses:
        '200':
          description: The operation.
          content:
            application/json:
              schema:
                $ref: '#/components/schemas/TaxonomyOperation'

  /taxonomy/v1/quotas/{quota}/overrides:
`

const field = `        default_limit:
          type: integer
          format: int64
          minimum: -1
          maximum: 9007199254740991
          description: Cap on each whole organisation`

const newField = `        contact:
          type: string
          maxLength: 64
          default: ''
          description: Whom to ask for more.
${field}`

describe('changing a spec', () => {
  it('starts from output that is fresh and compiles', async () => {
    expect(await run(...generateArguments(), '--check')).toMatchObject({ code: 0 })
    expect(await compile()).toMatchObject({ code: 0, output: '' })
  })

  it('is reported by --check, which writes nothing', async () => {
    edit('specs/taxonomy.yaml', '\n  /taxonomy/v1/quotas/{quota}/overrides:\n', operation)
    edit('specs/taxonomy.yaml', field, newField)
    const { code, output } = await generate('--check')
    expect(code).toBe(1)
    expect(output).toMatch(/output\/taxonomy\/handlers\.ts/)
    expect(output).toContain('resetQuota')
    expect(await compile()).toMatchObject({ code: 0 })
  })

  it('makes the compiler report the missing handler and the missing member', async () => {
    expect(await generate()).toMatchObject({ code: 0 })
    const { code, output } = await compile()
    expect(code).not.toBe(0)
    expect(output).toMatch(
      /domain\/taxonomy\/quotas\/quotas\.ts.*Property 'resetQuota' is missing in type 'SubtreeQuotas'/s,
    )
    expect(output).toMatch(/Property 'contact' is missing/)
  })

  it('is scaffolded without a change of existing code', async () => {
    const before = readFileSync(join(copy, 'domain/taxonomy/quotas/quotas.ts'), 'utf8')
    expect(await generate('--scaffold', 'domain')).toMatchObject({ code: 0 })
    const after = readFileSync(join(copy, 'domain/taxonomy/quotas/quotas.ts'), 'utf8')
    expect(after).toContain('async resetQuota(')
    const rows = new Set(after.split('\n'))
    const lost = before.split('\n').filter(row => !rows.has(row) && !row.startsWith('import'))
    expect(lost).toEqual([])
    const { output } = await compile()
    expect(output).not.toContain('resetQuota')
    await generate('--scaffold', 'domain')
    expect(readFileSync(join(copy, 'domain/taxonomy/quotas/quotas.ts'), 'utf8')).toBe(after)
  })

  it('passes again when the rest is implemented', async () => {
    edit('domain/taxonomy/quotas/quotas-built-in.ts', "'default_limit'>", "'default_limit' | 'contact'>")
    edit('domain/taxonomy/quotas/quotas-built-in.ts', '  default_limit,\n})', "  default_limit,\n  contact: '',\n})")
    expect(await compile()).toMatchObject({ code: 0, output: '' })
    expect(await generate('--check')).toMatchObject({ code: 0 })
  })

  it('refuses hand-edited output', async () => {
    edit('output/taxonomy/types.ts', 'default_limit: number', 'default_limit: string')
    const { code, output } = await generate('--check')
    expect(code).toBe(1)
    expect(output).toMatch(/output\/taxonomy\/types\.ts/)
    expect(output).toContain('default_limit: string')
  })
})
