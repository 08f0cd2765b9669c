import { expect, it } from 'vitest'
import type { FileReport } from '../../scripts/checks/report.ts'
import { timesOf } from '../../scripts/checks/times.ts'

const file = (path: string, project: string, began: number, ended: number): FileReport => ({
  path,
  project,
  isFailed: false,
  message: '',
  failedBefore: [],
  tests: [
    { name: 'one', status: 'passed' },
    { name: 'two', status: 'passed' },
  ],
  began,
  ended,
})

it('prints the time of each project, elapsed and summed over its files, and the slowest files', () => {
  const files = [
    file('test/a.test.ts', 'sqlite', 0, 1500),
    file('test/long-name.test.ts', 'sqlite', 500, 2500),
    file('test/a.test.ts', 'postgres', 1000, 13_000),
  ]
  expect(timesOf(files)).toEqual([
    'project   files  tests  wall s  files s',
    'postgres      1      2    12.0     12.0',
    'sqlite        2      4     2.5      3.5',
    'slowest files            project     s',
    'test/a.test.ts          postgres  12.0',
    'test/long-name.test.ts    sqlite   2.0',
    'test/a.test.ts            sqlite   1.5',
  ])
})

it('names ten files at most', () => {
  const files = Array.from({ length: 12 }, (_, i) => file(`test/${i}.test.ts`, 'sqlite', 0, i))
  const [, , , first, ...others] = timesOf(files)
  expect(first).toMatch(/^test\/11\.test\.ts /)
  expect(others).toHaveLength(9)
})

it('prints nothing if no test has run', () => {
  expect(timesOf([])).toEqual([])
})
