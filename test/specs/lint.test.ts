import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import SwaggerParser from '@apidevtools/swagger-parser'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { asList, asNode, specs } from './documents.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const redocly = join(root, 'node_modules/@redocly/cli/bin/cli.js')
const run = promisify(execFile)

/**
 * The findings for all documents from one run, because a start of the program takes several times as long as a
 * document.
 */
const linted = lint(root, ...specs.map(({ file }) => file))

describe.each(specs.map(({ file }) => file))('%s', file => {
  it('is valid for swagger-parser', async () => {
    await expect(SwaggerParser.validate(join(root, file))).resolves.toBeDefined()
  })

  it('keeps the lint rules without errors or warnings', async () => {
    const place = specs.findIndex(spec => spec.file === file)
    expect((await linted)[place]).toEqual({ errors: 0, warnings: 0, ignored: 0, problems: [] })
  })
})

describe('lint rules', () => {
  it('are set for all documents', () => {
    const config = asNode(parse(readFileSync(join(root, 'redocly.yaml'), 'utf8')))
    const linted = Object.values(asNode(config.apis)).map(api => asNode(api).root)
    expect(linted).toEqual(specs.map(({ file }) => file))
  })

  it('find examples that do not match, in requests and schemas', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ninefold-lint-'))
    try {
      cpSync(join(root, 'specs'), join(folder, 'specs'), { recursive: true })
      cpSync(join(root, 'redocly.yaml'), join(folder, 'redocly.yaml'))
      const file = join(folder, 'specs/taxonomy.yaml')
      const text = readFileSync(file, 'utf8')
      writeFileSync(
        file,
        text.replaceAll('default_limit: 256', 'default_limit: -2').replace('name: acme', 'name: Acme'),
      )
      const [found] = await lint(folder, 'specs/taxonomy.yaml')
      expect(found?.problems).toContain('no-invalid-schema-examples')
      expect(found?.problems).toContain('no-invalid-media-type-examples')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

interface Linted {
  readonly problems: readonly unknown[]
}

/** Returns the findings of a folder's redocly.yaml for each document: the totals, and the broken rules. */
async function lint(folder: string, ...files: readonly string[]): Promise<readonly Linted[]> {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const { stdout } = await run(process.execPath, [redocly, 'lint', ...files, '--format=json'], {
    cwd: folder,
    env,
  }).catch(foundErrors)
  // The reports are in the order of the documents.
  const reports = stdout.split(/(?<=^\})(?=\{)/m)
  expect(reports).toHaveLength(files.length)
  return reports.map(report => {
    const { totals, problems } = asNode(JSON.parse(report))
    return { ...asNode(totals), problems: asList(problems).map(problem => asNode(problem).ruleId) }
  })
}

/** Returns the output of a run with findings, whose exit status is 1; rethrows every other error. */
function foundErrors(error: unknown): { readonly stdout: string } {
  const { code, stdout } = asNode(error)
  if (code !== 1 || typeof stdout !== 'string') throw error
  return { stdout }
}
