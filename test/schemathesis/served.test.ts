import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AreaModule } from '../../server/area.ts'
import { records } from '../../server/area-in-progress.ts'
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
 * defect. One undeclared method of each path suffices, because the router refuses all of them alike.
 */
const config = [
  '[checks]',
  'not_a_server_error.expected-statuses = ["2xx", "4xx", 501]',
  '[phases.coverage]',
  'unexpected-methods = ["TRACE"]',
  '',
].join('\n')

/**
 * Returns the phases of schemathesis for an area. Without any resource of its own, an area has no handlers: it only
 * checks requests, as the other areas do, so random requests suffice.
 */
function phasesOf({ built }: AreaModule): string {
  const isEmpty = built?.every(name => Object.hasOwn(records([]), name)) ?? false
  return isEmpty ? 'fuzzing' : 'examples,coverage,fuzzing'
}

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

  it.each(areas.map(area => [area.domain.name, area] as const))(
    'finds no response of %s that its document does not declare',
    async (_, area) => {
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
  area: AreaModule,
): Promise<{ readonly code: number | string | undefined; readonly output: string }> {
  const args = [
    'run',
    `${url}/openapi/${area.domain.name}.json`,
    `--url=${url}`,
    `--header=Authorization: Bearer ${token}`,
    `--checks=${checks.join(',')}`,
    `--max-examples=${examples}`,
    '--max-failures=5',
    `--phases=${phasesOf(area)}`,
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
