import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FileReport, Report } from './report.ts'
import { runNode, type Result, type Run } from './run.ts'
import { timesOf } from './times.ts'

/** The parts of the suite in the order of their report. A file belongs to the first part whose pattern matches. */
const parts: readonly (readonly [name: string, files: RegExp])[] = [
  ['import rules', /^test\/rules\/imports\./],
  ['budgets', /^test\/rules\/budgets\./],
  ['style rules', /^test\/rules\//],
  ['example service', /example-service\//],
  ['package', /^test\/package\//],
  ['tests', /./],
]

/** A run of all vitest tests: its output while it runs, and its outcome. */
export interface Suite {
  readonly output: Run['output']
  readonly outcome: Promise<Outcome>
}

/** The outcome of a run. */
export interface Outcome {
  /** The results of each part. */
  readonly results: readonly Result[]
  /** The lines to print: the files that ran, if there was no filter, and the times. */
  readonly lines: readonly string[]
}

const program = fileURLToPath(new URL('./suite.ts', import.meta.url))

/** Starts the tests in files whose path contains a filter, or all tests without a filter. */
export function runVitest(filters: readonly string[]): Suite {
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-test-'))
  const file = join(folder, 'report.json')
  // More than a thousand processes (workers, servers and commands) load the same modules, so they share a compile
  // cache.
  const compiled = { NODE_COMPILE_CACHE: join(folder, 'compiled') }
  const { output, status } = runNode([program, file, ...filters], compiled)
  const outcome = status.then((code): Outcome => {
    try {
      const report = readReport(file)
      const ran = filters.length === 0 ? [] : (report?.files ?? []).map(ranLine).toSorted()
      return { results: resultsOf(report, code), lines: [...ran, ...(report ? timesOf(report.files) : [])] }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
  return { output, outcome }
}

const ranLine = ({ path, project, tests }: FileReport): string => `ran ${path} on ${project}: ${tests.length} tests`

function readReport(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report
  } catch {
    return undefined
  }
}

/**
 * Returns the counts of each part of a report. Each of these counts as one failed test: a file that could not be
 * loaded, an error that no test caught, a filter without a file, a run without a report, and a run that failed although
 * every test passed.
 */
export function resultsOf(report: Report | undefined, status: number | undefined): readonly Result[] {
  if (report === undefined) return [crash(`vitest ended without a report, exit status ${status ?? 'none'}`)]
  if (report.unknownFilters.length > 0) {
    return report.unknownFilters.map(filter =>
      crash(
        `no test file has "${filter.slice(0, 80)}" in its path, so nothing has run; name a file or folder below test/`,
      ),
    )
  }
  const files = Map.groupBy(report.files, ({ path }) => partOf(path))
  const results: Result[] = parts.flatMap(([name]) => {
    const found = files.get(name)
    return found === undefined ? [] : [count(name, found)]
  })
  results.push(...report.uncaught.map(error => crash(`FAILED outside the tests: ${error}`)))
  const failed = results.some(result => result.failed > 0)
  if (status !== 0 && !failed) results.push(crash(`vitest failed outside the tests, exit status ${status ?? 'none'}`))
  return results
}

function partOf(file: string): string | undefined {
  return parts.find(([, files]) => files.test(file))?.[0]
}

function count(name: string, files: readonly FileReport[]): Result {
  const tests = files.flatMap(({ path, project, tests }) => tests.map(test => ({ ...test, path, project })))
  const withStatus = (wanted: string) => tests.filter(({ status }) => status === wanted)
  const failed = withStatus('failed')
  const broken = files.filter(file => file.isFailed && !file.tests.some(({ status }) => status === 'failed'))
  const skipped = withStatus('skipped')
  return {
    name,
    passed: withStatus('passed').length,
    failed: failed.length + broken.length,
    skipped: skipped.length,
    notes: [
      ...skipped.map(test => `SKIPPED ${test.name}`),
      ...files.flatMap(({ failedBefore, path, project }) =>
        failedBefore.map(name => `UNSTABLE ${path} on ${project}: ${name} (it failed beside other tests)`),
      ),
      ...failed.map(({ name, path, project }) => `FAILED ${path} on ${project}: ${name}`),
      ...broken.map(({ path, message }) => `FAILED to run ${path}: ${message.split('\n', 1)[0] ?? ''}`),
    ],
  }
}

const crash = (note: string): Result => ({ name: 'vitest', passed: 0, failed: 1, skipped: 0, notes: [note] })
