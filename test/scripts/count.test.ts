import { expect, it } from 'vitest'
import type { FileReport, Report, TestReport } from '../../scripts/checks/report.ts'
import { resultsOf } from '../../scripts/checks/vitest.ts'

const file = (path: string, ...statuses: readonly TestReport['status'][]): FileReport => ({
  path,
  project: 'sqlite',
  isFailed: statuses.includes('failed'),
  message: '',
  failedBefore: [],
  tests: statuses.map((status, index) => ({ status, name: `test ${index}` })),
  began: 0,
  ended: 0,
})
const broken = { ...file('test/runtime/a.test.ts'), isFailed: true, message: 'SyntaxError: no\nat line 1' }
const report = (...files: readonly FileReport[]): Report => ({ unknownFilters: [], files, uncaught: [] })

it('counts each part of the suite separately, in a fixed order', () => {
  const files = [
    file('test/runtime/a.test.ts', 'passed', 'failed'),
    file('test/package/package.test.ts', 'passed'),
    file('test/rules/imports.test.ts', 'passed', 'passed'),
    file('test/server/b.test.ts', 'passed'),
  ]
  expect(resultsOf(report(...files), 1).map(({ name, passed, failed }) => [name, passed, failed])).toEqual([
    ['import rules', 2, 0],
    ['package', 1, 0],
    ['tests', 2, 1],
  ])
})

it('names every skipped test', () => {
  const [result] = resultsOf(report(file('test/a.test.ts', 'passed', 'skipped', 'skipped')), 0)
  expect(result).toMatchObject({ passed: 1, failed: 0, skipped: 2, notes: ['SKIPPED test 1', 'SKIPPED test 2'] })
})

it('names every failed test with its file and its store', () => {
  const [result] = resultsOf(report(file('test/a.test.ts', 'passed', 'failed')), 1)
  expect(result).toMatchObject({ passed: 1, failed: 1, notes: ['FAILED test/a.test.ts on sqlite: test 1'] })
})

it('names what failed before a file ran again', () => {
  const again = { ...file('test/a.test.ts', 'passed', 'failed'), failedBefore: ['test 0'] }
  const [result] = resultsOf(report(again), 1)
  expect(result).toMatchObject({
    passed: 1,
    failed: 1,
    notes: [
      'UNSTABLE test/a.test.ts on sqlite: test 0 (it failed beside other tests)',
      'FAILED test/a.test.ts on sqlite: test 1',
    ],
  })
})

it('names every error that no test caught', () => {
  const read = { ...report(file('test/a.test.ts', 'passed')), uncaught: ['test/a.test.ts: refused', 'closed'] }
  expect(resultsOf(read, 1).flatMap(({ failed, notes }) => [failed, ...notes])).toEqual([
    0,
    1,
    'FAILED outside the tests: test/a.test.ts: refused',
    1,
    'FAILED outside the tests: closed',
  ])
})

it('counts a file that cannot be loaded as failed', () => {
  const [result] = resultsOf(report(broken), 1)
  expect(result).toMatchObject({ failed: 1, notes: [expect.stringContaining('SyntaxError: no')] })
})

it.each<readonly [string, Report | undefined, number | undefined]>([
  ['a crash without a report', undefined, undefined],
  ['an error outside the tests', report(file('test/a.test.ts', 'passed')), 1],
  ['a run without tests', report(), 1],
  ['a filter that fits no file', { ...report(), unknownFilters: ['nowhere'] }, 1],
])('counts %s as failed', (_, read, status) => {
  expect(resultsOf(read, status).reduce((sum, { failed }) => sum + failed, 0)).toBe(1)
})
