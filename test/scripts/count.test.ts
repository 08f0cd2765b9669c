import { join } from 'node:path'
import { expect, it } from 'vitest'
import { resultsOf } from '../../scripts/checks/vitest.ts'
import { root } from '../../scripts/project.ts'

const file = (path: string, ...statuses: readonly string[]) => ({
  name: join(root, ...path.split('/')),
  status: statuses.includes('failed') ? 'failed' : 'passed',
  message: '',
  assertionResults: statuses.map((status, index) => ({ status, fullName: `test ${index}` })),
})
const broken = { ...file('test/runtime/a.test.ts'), status: 'failed', message: 'SyntaxError: no\nat line 1' }

it('counts each part of the suite by itself, in a fixed order', () => {
  const testResults = [
    file('test/runtime/a.test.ts', 'passed', 'failed'),
    file('test/package/package.test.ts', 'passed'),
    file('test/rules/imports.test.ts', 'passed', 'passed'),
    file('test/server/b.test.ts', 'passed'),
  ]
  expect(resultsOf({ testResults }, 1).map(({ name, passed, failed }) => [name, passed, failed])).toEqual([
    ['import rules', 2, 0],
    ['package', 1, 0],
    ['tests', 2, 1],
  ])
})

it('names every test that was left out', () => {
  const [result] = resultsOf({ testResults: [file('test/a.test.ts', 'passed', 'skipped', 'todo')] }, 0)
  expect(result).toMatchObject({ passed: 1, failed: 0, skipped: 2, notes: ['SKIPPED test 1', 'SKIPPED test 2'] })
})

it('counts a file that cannot be loaded as failed', () => {
  const [result] = resultsOf({ testResults: [broken] }, 1)
  expect(result).toMatchObject({ failed: 1, notes: [expect.stringContaining('SyntaxError: no')] })
})

it.each([
  ['a crash without a report', undefined, undefined],
  ['an error outside the tests', { testResults: [file('test/a.test.ts', 'passed')] }, 1],
  ['a run without tests', { testResults: [] }, 1],
])('counts %s as failed', (_, report, status) => {
  expect(resultsOf(report, status).reduce((sum, { failed }) => sum + failed, 0)).toBe(1)
})
