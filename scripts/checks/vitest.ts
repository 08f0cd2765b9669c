import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { root, toolFile } from '../project.ts'
import { runNode, type Result, type Run } from './run.ts'

/** The parts of vitest's JSON report that are counted. */
interface Report {
  readonly testResults: readonly {
    /** The path of the file. */
    readonly name: string
    readonly status: string
    readonly message: string
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

/** The parts of the suite in the order they are reported; the first that fits a file takes it. */
const parts: readonly (readonly [name: string, files: RegExp])[] = [
  ['import rules', /^test\/rules\/imports\./],
  ['budgets', /^test\/rules\/budgets\./],
  ['style rules', /^test\/rules\//],
  ['example service', /example-service\//],
  ['package', /^test\/package\//],
  ['tests', /./],
]

/** All vitest tests as one run: what it prints meanwhile, and in the end the results of each part. */
export interface Suite {
  readonly output: Run['output']
  readonly results: Promise<readonly Result[]>
}

/** Starts vitest. */
export function runVitest(): Suite {
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-test-'))
  const report = join(folder, 'report.json')
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${report}`]
  // Some thousand processes begin with the same modules: workers, servers and commands.
  const compiled = { NODE_COMPILE_CACHE: join(folder, 'compiled') }
  const { output, status } = runNode([toolFile('vitest'), 'run', ...reporters], compiled)
  const results = status.then(code => {
    try {
      return resultsOf(readReport(report), code)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
  return { output, results }
}

function readReport(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report
  } catch {
    return undefined
  }
}

/**
 * Counts a report. A file that could not be loaded is one failed test, and so is a run without a report, or one that
 * failed although every test passed.
 */
export function resultsOf(report: Report | undefined, status: number | undefined): readonly Result[] {
  if (report === undefined) return [crash(`vitest ended without a report, exit status ${status ?? 'none'}`)]
  const files = Map.groupBy(report.testResults, ({ name }) => partOf(relative(root, name).split(sep).join('/')))
  const results = parts.flatMap(([name]) => {
    const found = files.get(name)
    return found === undefined ? [] : [count(name, found)]
  })
  const failed = results.some(result => result.failed > 0)
  if (status !== 0 && !failed)
    return [...results, crash(`vitest failed outside the tests, exit status ${status ?? 'none'}`)]
  return results
}

function partOf(file: string): string | undefined {
  return parts.find(([, files]) => files.test(file))?.[0]
}

function count(name: string, files: Report['testResults']): Result {
  const tests = files.flatMap(({ assertionResults }) => assertionResults)
  const withStatus = (wanted: string) => tests.filter(({ status }) => status === wanted)
  const broken = files.filter(({ status, assertionResults }) => status === 'failed' && !assertionResults.some(isFailed))
  const passed = withStatus('passed').length
  const failed = withStatus('failed').length
  return {
    name,
    passed,
    failed: failed + broken.length,
    skipped: tests.length - passed - failed,
    notes: [
      ...tests.filter(test => test.status !== 'passed' && !isFailed(test)).map(test => `SKIPPED ${test.fullName}`),
      ...broken.map(file => `FAILED to run ${relative(root, file.name)}: ${file.message.split('\n', 1)[0] ?? ''}`),
    ],
  }
}

const isFailed = ({ status }: { readonly status: string }): boolean => status === 'failed'

const crash = (note: string): Result => ({ name: 'vitest', passed: 0, failed: 1, skipped: 0, notes: [note] })
