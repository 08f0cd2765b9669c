/**
 * `node suite.ts REPORT FILTER...` runs the test files whose path contains a filter, or all files without a filter, on
 * each of their stores. The script writes the `Report` as JSON to the file REPORT. The exit status is 1 after a failed
 * test, and if a filter matches no test file.
 */
import { writeFileSync } from 'node:fs'
import { relative, sep } from 'node:path'
import type { SerializedError } from 'vitest'
import { createVitest, type Reporter, type TestModule } from 'vitest/node'
import { root } from '../project.ts'
import type { FileReport, Report, TestReport } from './report.ts'

const [reportFile = '', ...filters] = process.argv.slice(2)

/** At most this number of failed files run again, each alone (docs/decisions/0023-failed-files-run-again.md). */
const maxAgain = 3

const files: FileReport[] = []
/** The start of each file in milliseconds, keyed by the file's id: vitest creates a new object for each event. */
const begun = new Map<string, number>()
const reported = new Set<string>()
const uncaught: string[] = []

const reporter: Reporter = {
  onTestModuleQueued: file => void begun.set(file.id, performance.now()),
  onTestModuleEnd: file => void files.push(reportOf(file)),
  // A file whose process crashed has no end event.
  onTestRunEnd: (all, errors) => {
    files.push(...all.filter(file => !reported.has(file.id)).map(reportOf))
    uncaught.push(...errors.map(uncaughtLine))
  },
}

function uncaughtLine(error: SerializedError): string {
  const file: unknown = error['VITEST_TEST_PATH']
  const line = error.message.split('\n', 1)[0] ?? ''
  return typeof file === 'string' ? `${pathOf(file)}: ${line}` : line
}

const pathOf = (file: string): string => relative(root, file).split(sep).join('/')

function reportOf(file: TestModule): FileReport {
  const ended = performance.now()
  const began = begun.get(file.id) ?? ended
  reported.add(file.id)
  return {
    path: pathOf(file.moduleId),
    project: file.project.name,
    isFailed: !['passed', 'skipped'].includes(file.state()),
    message: firstError(file),
    failedBefore: [],
    tests: Array.from(file.children.allTests(), (test): TestReport => {
      const { state } = test.result()
      return { name: test.fullName, status: state === 'pending' ? 'skipped' : state }
    }),
    began,
    ended,
  }
}

function firstError(file: TestModule): string {
  const errors = [file, ...file.children.allSuites()].flatMap(each => each.errors())
  return errors[0]?.message ?? ''
}

/** Runs the failed files again, one after the other, unless there are many or the failure is outside of files. */
async function runAgain(modules: readonly TestModule[]): Promise<void> {
  const failed = files.filter(({ isFailed }) => isFailed)
  if (failed.length === 0 || failed.length > maxAgain || uncaught.length > 0) return
  process.exitCode = 0
  for (const before of failed) {
    const isSame = (path: string, project: string) => path === before.path && project === before.project
    const module = modules.find(({ moduleId, project }) => isSame(pathOf(moduleId), project.name))
    if (!module) throw new Error(`${before.path} on ${before.project} has no module`)
    files.splice(files.indexOf(before), 1)
    await vitest.runTestSpecifications([module.toTestSpecification()])
    const at = files.findIndex(({ path, project }) => isSame(path, project))
    const after = files[at]
    if (after) files[at] = { ...after, failedBefore: failuresOf(before) }
  }
}

function failuresOf({ message, tests }: FileReport): readonly string[] {
  const names = tests.filter(({ status }) => status === 'failed').map(({ name }) => name)
  return names.length > 0 ? names : [message.split('\n', 1)[0] ?? '']
}

const vitest = await createVitest('test', { root, run: true, watch: false, reporters: ['dot', reporter] })
const unknownFilters: string[] = []
for (const filter of filters) {
  if ((await vitest.globTestSpecifications([filter])).length === 0) unknownFilters.push(filter)
}
if (unknownFilters.length > 0) process.exitCode = 1
else {
  const { testModules } = await vitest.start(filters)
  if (filters.length === 0) await runAgain(testModules)
}
const report: Report = { unknownFilters, files, uncaught }
writeFileSync(reportFile, JSON.stringify(report))
await vitest.exit()
