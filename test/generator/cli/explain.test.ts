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

describe('the message for users', () => {
  test('of a mistake on the command line is its text', () => {
    expect(explain(new UsageError('no such thing'), true)).toEqual(['error: no such thing'])
  })

  test('of an output that cannot be written has every problem', () => {
    expect(explain(new OutputError(['one', 'two']), true)).toEqual(['error: one', 'error: two'])
  })

  test('of a file that cannot be used has its path and the reason', () => {
    const error = thrownBy(() => readFileSync('/nowhere/x'))
    expect(explain(error, true)).toEqual(['error: cannot use "/nowhere/x": it does not exist'])
  })

  test('of a defect says so, with a stack only on request', () => {
    const defect = new TypeError('x is \u001b[2J undefined')
    expect(explain(defect, false)).toEqual([
      'error: this is a defect of the generator, please report it: TypeError: x is \\u001b[2J undefined; --timings shows where',
    ])
    expect(explain(defect, true).join('\n')).toContain('explain.test.ts')
  })
})

test('of a missing package has its name, and no other error is taken for a missing package', () => {
  const native = Object.assign(new Error(`Cannot find package 'fastify' imported from /x/y.js`), {
    code: 'ERR_MODULE_NOT_FOUND',
  })
  expect(missingPackage(native)).toBe('fastify')
  expect(
    missingPackage(Object.assign(new Error(`Cannot find module '/x/y.js'`), { code: 'ERR_MODULE_NOT_FOUND' })),
  ).toBe(undefined)
  expect(missingPackage(new Error(`Cannot find package 'fastify'`))).toBe(undefined)
})
