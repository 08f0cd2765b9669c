import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { explain } from '../../../generator/cli/explain.ts'
import { missingPackage } from '../../../generator/cli/missing-package.ts'
import { UsageError } from '../../../generator/cli/usage-error.ts'
import { OutputError } from '../../../generator/write/output-error.ts'

function thrownBy(action: () => unknown): unknown {
  try {
    action()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

describe('what a person is told of', () => {
  test('a mistake of the command line is its message', () => {
    expect(explain(new UsageError('no such thing'), true)).toEqual(['error: no such thing'])
  })

  test('an output that cannot be written is every problem', () => {
    expect(explain(new OutputError(['one', 'two']), true)).toEqual(['error: one', 'error: two'])
  })

  test('a file that cannot be used is its path and why', () => {
    const error = thrownBy(() => readFileSync('/nowhere/x'))
    expect(explain(error, true)).toEqual(['error: cannot use "/nowhere/x": it does not exist'])
  })

  test('a defect is that it is one, with a stack only when asked for', () => {
    const defect = new TypeError('x is \u001b[2J undefined')
    expect(explain(defect, false)).toEqual([
      'error: this is a defect of the generator, please report it: TypeError: x is \\u001b[2J undefined; --timings shows where',
    ])
    expect(explain(defect, true).join('\n')).toContain('explain.test.ts')
  })
})

test('a package that is missing is known by its name, and nothing else is taken for one', () => {
  const native = Object.assign(new Error(`Cannot find package 'fastify' imported from /x/y.js`), {
    code: 'ERR_MODULE_NOT_FOUND',
  })
  expect(missingPackage(native)).toBe('fastify')
  expect(
    missingPackage(Object.assign(new Error(`Cannot find module '/x/y.js'`), { code: 'ERR_MODULE_NOT_FOUND' })),
  ).toBe(undefined)
  expect(missingPackage(new Error(`Cannot find package 'fastify'`))).toBe(undefined)
})
