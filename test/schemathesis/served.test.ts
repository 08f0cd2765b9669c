import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { areas } from '../../server/areas.ts'
import { dataFolder, startServer, type Served } from '../e2e/served.ts'

const program = (process.env.PATH ?? '')
  .split(delimiter)
  .map(folder => join(folder, 'schemathesis'))
  .find(path => existsSync(path))

if (program === undefined) console.warn('schemathesis is not on the PATH: the served areas are not fuzzed')

/** The requirements of every response: no server error, and no undeclared content. */
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
]

/**
 * The number of random requests for each operation, 3 by default, after the cases that cover its document. A time limit
 * instead would leave out cases on a busy machine, and be used up on an idle machine. For more requests:
 * `NINEFOLD_FUZZ_EXAMPLES=100 npx vitest run test/schemathesis`
 */
const examples = Number(process.env['NINEFOLD_FUZZ_EXAMPLES'] ?? 3)

/**
 * The configuration of schemathesis: an operation that is not built yet responds with 501, and every other 5XX is a
 * defect.
 */
const config = '[checks]\nnot_a_server_error.expected-statuses = ["2xx", "4xx", 501]\n'

describe.skipIf(program === undefined)('schemathesis', { timeout: 240_000 + examples * 10_000 }, () => {
  const folder = dataFolder()
  const work = mkdtempSync(join(tmpdir(), 'ninefold-schemathesis-'))
  let server: Served

  beforeAll(async () => {
    writeFileSync(join(work, 'schemathesis.toml'), config)
    server = await startServer(folder.path)
  })
  afterAll(async () => {
    await server.end('SIGINT')
    folder.remove()
    rmSync(work, { recursive: true })
  })

  it.each(areas.map(({ domain }) => [domain.name]))(
    'finds no response of %s that its document does not declare',
    async area => {
      const { code, output } = await fuzz(program ?? '', work, server, area)
      expect(code, output).toBe(0)
      expect(output).toMatch(/[1-9]\d* passed/)
    },
  )
})

/**
 * Runs schemathesis over one area; returns its exit status, or the code of a failed start or undefined after a signal,
 * and the end of its output.
 */
function fuzz(
  file: string,
  cwd: string,
  { token, url }: Served,
  area: string,
): Promise<{ readonly code: number | string | undefined; readonly output: string }> {
  const args = [
    'run',
    `${url}/openapi/${area}.json`,
    `--url=${url}`,
    `--header=Authorization: Bearer ${token}`,
    `--checks=${checks.join(',')}`,
    `--max-examples=${examples}`,
    '--max-failures=5',
    '--phases=examples,coverage,fuzzing',
    '--seed=1',
    '--generation-database=none',
    '--warnings=off',
    '--no-color',
  ]
  return new Promise(resolve => {
    execFile(file, args, { cwd, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : (error.code ?? undefined), output: `${stdout}${stderr}`.slice(-6_000) })
    })
  })
}
