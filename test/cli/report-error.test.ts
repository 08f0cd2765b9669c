import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CommandError } from '../../cli/exit-codes.ts'
import { reportOf } from '../../cli/report-error.ts'
import { ApiError, clientReasons, commonReasons } from '../../runtime/errors.ts'
import { OperationFailed } from '../../runtime/operations.ts'

const response = { status: 400, requestId: 'r-1', traceId: undefined, body: {} }

test('a refusal of the server is printed with its reason, its fields, its request id and the time of a retry', () => {
  const badRequest = [
    { field: 'name', description: 'is required' },
    { field: 'zone', description: 'is required' },
  ]
  const details = { badRequest, retryAfterSeconds: 1.2 }
  const error = new ApiError(
    commonReasons.FIELD_INVALID,
    'name is required (and 1 more)',
    { a: 'b' },
    details,
    response,
  )
  expect(reportOf(error)).toEqual({
    exitCode: 1,
    lines: [
      'error: name is required (and 1 more)',
      '  reason: FIELD_INVALID (INVALID_ARGUMENT)',
      '  name: is required',
      '  zone: is required',
      '  a: b',
      '  request: r-1',
      '  try again in 2 s',
    ],
  })
})

test('control characters in a server’s texts never reach the terminal', () => {
  const error = new ApiError(commonReasons.INTERNAL, 'a\u001b]0;b\u0007\nc', { '\u202e': '\u009b2J' }, {}, response)
  expect(reportOf(error).lines.join('')).not.toMatch(/[\p{Cc}\u202e]/u)
})

test('a missing response has another exit status than a refusal, whatever reason a server gives', () => {
  const cause = new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) })
  const failed = Object.assign(new ApiError(clientReasons.CONNECTION_FAILED, 'getVm got no answer'), { cause })
  const { exitCode, lines } = reportOf(failed)
  expect(exitCode).toBe(3)
  expect(lines[0]).toBe('error: getVm got no answer (ECONNREFUSED)')
  expect(lines.at(-1)).toContain('--url')
  const said = new ApiError(clientReasons.DEADLINE_EXCEEDED, 'too slow', {}, {}, response)
  expect(reportOf(said).exitCode).toBe(1)
})

test('a failed operation is printed with all its errors', () => {
  const errors = [
    { reason: 'ROLE_IN_USE', description: 'somebody holds it' },
    { reason: 'OTHER', description: 'and more' },
  ]
  expect(reportOf(new OperationFailed({ id: 'op', status: 'X_ERROR', errors }))).toEqual({
    exitCode: 1,
    lines: ['error: somebody holds it', '  reason: ROLE_IN_USE', '  OTHER: and more', '  operation: op'],
  })
})

test('wrong usage and errors of the system are printed in one line', () => {
  expect(reportOf(new CommandError('say which'))).toEqual({ exitCode: 2, lines: ['error: say which'] })
  const read = () => readFileSync('/nowhere/at/all')
  expect(() => read()).toThrow()
  try {
    read()
  } catch (error) {
    expect(reportOf(error)).toMatchObject({ exitCode: 2, lines: [expect.stringContaining('/nowhere/at/all')] })
  }
})

test('a defect has no message for users', () => {
  const defect = new RangeError('defect')
  expect(() => reportOf(defect)).toThrow(defect)
})
