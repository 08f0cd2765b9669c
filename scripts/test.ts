/**
 * `npm test` runs every check and every test. Each check counts as one test. The last line is the count, and the exit
 * status is 1 after any failure. `npm test -- FILTER...` runs no check, and only the test files whose path contains a
 * filter, on each of their stores.
 */
import { generateArguments, toolFile } from './project.ts'
import { runCheck, type Result } from './checks/run.ts'
import { runVitest } from './checks/vitest.ts'

/** The checks in the order of their report. Each check is a program that fails with an exit status. */
const checks: readonly (readonly [name: string, args: () => readonly string[]])[] = [
  ['drift', () => [...generateArguments(), '--check']],
  ['types', () => [toolFile('typescript', 'tsc'), '-p', '.', '--pretty', 'false']],
  ['lint', () => [toolFile('oxlint'), '--deny-warnings', '--format=unix', '.']],
  ['layout', () => [toolFile('prettier'), '--check', '--log-level', 'warn', '.']],
]

const filters = process.argv.slice(2)
const results: Result[] = []
process.on('exit', conclude)

try {
  const option = filters.find(filter => filter.startsWith('-'))
  if (option !== undefined) {
    throw new Error(
      `npm test takes parts of paths and no option such as "${option.slice(0, 80)}"; write npx vitest run`,
    )
  }
  const running = filters.length > 0 ? [] : checks.map(([name, args]) => runCheck(name, args()))
  // The suite runs concurrently with the checks, because the longest check alone would use only one core. The output of
  // the suite is buffered until the checks have ended.
  const suite = runVitest(filters)
  for (const result of running) report(await result)
  for await (const chunk of suite.output) process.stdout.write(chunk as Uint8Array)
  const { lines, results: parts } = await suite.outcome
  for (const line of lines) console.log(line)
  for (const result of parts) report(result)
} catch (error) {
  report({
    name: 'runner',
    passed: 0,
    failed: 1,
    skipped: 0,
    notes: [error instanceof Error ? error.message : String(error)],
  })
}

function report(result: Result): void {
  const { name, passed, failed, skipped, notes } = result
  results.push(result)
  for (const note of notes) console.log(note)
  console.log(
    `${failed > 0 ? 'FAILED' : 'passed'} ${name}${passed + failed + skipped > 1 ? `: ${inWords(result)}` : ''}`,
  )
}

function conclude(): void {
  const sum = (member: 'passed' | 'failed' | 'skipped') => results.reduce((total, result) => total + result[member], 0)
  const total = { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') }
  if (total.failed > 0) process.exitCode = 1
  console.log(inWords(total))
}

function inWords({ passed, failed, skipped }: Omit<Result, 'name' | 'notes'>): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`
}
