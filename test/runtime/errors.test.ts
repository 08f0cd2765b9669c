import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ApiError, atField, rpcCodes } from '../../runtime/errors.ts'
import type { ErrorDetails } from '../../runtime/errors.ts'
import type { OperationRecord } from '../../runtime/operations.ts'
import { retryDelay } from '../../runtime/retry.ts'
import { fromStatus, rpcNumber, rpcOf, toStatus } from '../../runtime/status.ts'
import { createTransport, send } from '../../runtime/transport.ts'
import { route } from './routes.ts'
import { isDetail, isStatus } from './status-judge.ts'

interface Case {
  readonly id: string
  readonly kind: 'code-to-http' | 'http-to-code' | 'scenario' | 'detail' | 'client-parse' | 'status-valid'
  readonly words: string
  readonly code: number
  readonly name: string
  readonly http: number
  readonly details: readonly string[]
  readonly field?: string
  readonly extra?: {
    readonly operation: { readonly done: boolean; readonly has: string | null; readonly error_code?: number }
  }
  readonly detail: { readonly '@type'?: string }
  readonly body: unknown
  readonly valid: boolean
  readonly expect: {
    readonly code: number
    readonly reason: string | null
    readonly retry_delay_s?: number
    readonly operation_error_code?: number
  }
}
interface CaseFile {
  readonly count: number
  readonly cases: readonly Case[]
  readonly codes: readonly { readonly code: number; readonly name: string; readonly retry: string }[]
}

const file: CaseFile = JSON.parse(readFileSync('test/cases/aip/errors.json', 'utf8'))
const of = (kind: Case['kind']) => file.cases.filter(found => found.kind === kind)
const made = { name: 'made', base: 7_000_000 }

const answerOf = (status: number, body: unknown, now = 0): ApiError =>
  fromStatus({ status, headers: new Headers() }, body, now)
const codeOf = (error: ApiError): number => rpcNumber(error.rpc)

test('runs every kind of AIP case; test/conformance/error-scenarios.test.ts asks the platform the scenarios', () => {
  const kinds = ['code-to-http', 'http-to-code', 'scenario', 'detail', 'client-parse', 'status-valid'] as const
  expect(kinds.flatMap(of).length).toBe(file.count)
})

describe('codes', () => {
  test.each(of('code-to-http').filter(({ code }) => code !== 0))(
    '$id $code is $name, HTTP $http',
    ({ code, name, http }) => {
      const rpc = rpcOf(code) ?? 'UNKNOWN'
      expect([rpc, rpcCodes[rpc]]).toEqual([name, http])
    },
  )

  test.each(of('code-to-http').filter(({ code }) => code === 0))('$id 0 is not an error', async ({ code, http }) => {
    expect(rpcOf(code)).toBeUndefined()
    expect(await answered(http, { code })).toEqual({ code })
  })

  test.each(of('http-to-code'))('$id HTTP $http without a Status is $code', ({ http, code }) => {
    expect(codeOf(answerOf(http, '<html>'))).toBe(code)
  })

  test.each(file.codes.filter(({ code }) => code !== 0))('$name is retried: $retry', ({ name, retry }) => {
    const rpc = rpcOf(name) ?? 'UNKNOWN'
    const delay = (details: ErrorDetails) =>
      retryDelay(new ApiError({ reason: 'MADE_UP', rpc }, 'm', {}, details), 0, () => 0)
    expect(delay({}) < Infinity).toBe(retry === 'yes')
    expect(delay({ retryAfterSeconds: 2 })).toBe(retry === 'yes' || retry.includes('RetryInfo') ? 2000 : Infinity)
  })
})

const getOperation = route<{ id: string }, OperationRecord & { readonly error?: unknown }>('GET', [
  '/operations/',
  'id',
])
const answering = (status: number, body: unknown) =>
  createTransport({ baseUrl: '', retries: 0, fetch: async () => Response.json(body, { status }) })
const answered = (status: number, body: unknown) =>
  send<{ id: string }, unknown>(answering(status, body), getOperation, { id: 'o' })

// The judge of details and answers; `watched` and the scenarios of test/conformance judge the answers of the platform by
// the same functions.
describe('the judge of', () => {
  test.each(of('detail'))('$id $words', ({ detail, valid }) => {
    expect(isDetail(detail)).toBe(valid)
    const body = { code: 3, message: 'm', details: [detail] }
    const error = answerOf(400, body)
    expect([codeOf(error), error.message, error.response?.body]).toEqual([3, 'm', body])
    if (detail['@type']?.endsWith('RetryInfo')) expect(error.details.retryAfterSeconds !== undefined).toBe(valid)
  })

  test.each(of('status-valid'))('$id $words', ({ body, valid }) => expect(isStatus(body)).toBe(valid))
})

describe('the error of a client', () => {
  test.each(of('client-parse').filter(({ http }) => http !== 200))('$id $words', ({ http, body, expect: wanted }) => {
    const error = answerOf(http, body)
    expect([codeOf(error), error.reason]).toEqual([wanted.code, wanted.reason ?? `HTTP_${http}`])
    expect(error.details.retryAfterSeconds).toBe(wanted.retry_delay_s)
  })

  test.each(of('client-parse').filter(({ http }) => http === 200))(
    '$id $words',
    async ({ http, body, expect: wanted }) => {
      expect(await answered(http, body)).toMatchObject({ error: { code: wanted.operation_error_code } })
    },
  )

  test('never throws for any body, and pollutes no prototype', () => {
    fc.assert(
      fc.property(fc.anything(), fc.integer({ min: 300, max: 599 }), (body, status) => {
        for (const nested of [
          body,
          { error: body },
          { code: body, message: body, details: body },
          { details: [body, { '@type': body }] },
        ]) {
          expect(answerOf(status, nested).response?.status).toBe(status)
        }
      }),
    )
    const metadata = JSON.parse('{"__proto__": "x", "zone": "z"}')
    const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'MADE_UP', domain: 'd', metadata }
    const error = answerOf(400, { code: 3, message: 'm', details: [info] })
    expect(Object.entries(error.metadata)).toEqual([
      ['__proto__', 'x'],
      ['zone', 'z'],
    ])
    expect(Object.getPrototypeOf(error.metadata)).toBe(Object.prototype)
  })
})

test.each([
  [{ type: '/a', title: 'Conflict', status: 409, detail: 'the book is lent' }, 'the book is lent'],
  [{ title: 'Conflict', status: 409 }, 'Conflict'],
  [{ detail: 5 }, 'HTTP status 409'],
])('a problem of RFC 9457 has its detail as message, or else its title', (body, message) => {
  expect(answerOf(409, body)).toMatchObject({ message, reason: 'HTTP_409', response: { status: 409, body } })
})

test('an error at a field keeps all members but its rpc code, and names the field', () => {
  const resource = { type: 'iam.roles', name: 'r1' }
  const unknown = new ApiError(
    { reason: 'ROLE_NOT_FOUND', rpc: 'NOT_FOUND', code: 2_004_001, domain: made },
    'there is no role "r1"',
    { role: 'r1' },
    { resource },
  )
  const error = atField(unknown, 'grants[0].role_id')
  expect({ ...error, message: error.message }).toEqual({
    ...unknown,
    message: unknown.message,
    rpc: 'INVALID_ARGUMENT',
    details: { resource, badRequest: [{ field: 'grants[0].role_id', description: unknown.message }] },
  })
  const common = atField(new ApiError({ reason: 'WORKSPACE_NOT_FOUND', rpc: 'NOT_FOUND', code: 7 }, 'no'), 'workspace')
  expect(toStatus(common, made)).toMatchObject({ code: 3, details: [{ metadata: { code: '7000007' } }, {}] })
})

test('reading a Status returns the error from which it was written', () => {
  const name = fc.constantFrom('zone', 'current_state', 'allowed_states')
  const text = fc.string({ minLength: 1, maxLength: 20 })
  const violation = fc.record({ subject: text, description: text })
  const details = fc.record(
    {
      badRequest: fc.array(fc.record({ field: text, description: text }), { minLength: 1, maxLength: 3 }),
      precondition: fc.array(fc.record({ type: text, subject: text, description: text }), {
        minLength: 1,
        maxLength: 3,
      }),
      quota: fc.array(violation, { minLength: 1, maxLength: 3 }),
      resource: fc.record({ type: text, name: text }),
      retryAfterSeconds: fc.nat(1_000_000).map(ms => ms / 1000),
    },
    { requiredKeys: [] },
  )
  const reason = fc.record({
    reason: fc.stringMatching(/^[A-Z][A-Z0-9_]{1,20}[A-Z0-9]$/),
    rpc: fc.constantFrom(...file.codes.flatMap(({ code }) => rpcOf(code) ?? [])),
    code: fc.integer({ min: 1, max: 9_999_999 }),
  })
  fc.assert(
    fc.property(reason, text, fc.dictionary(name, fc.string()), details, (of, message, metadata, given) => {
      const status = toStatus(new ApiError(of, message, metadata, given), made)
      expect(isStatus(status)).toBe(true)
      const error = answerOf(rpcCodes[of.rpc], JSON.parse(JSON.stringify(status)))
      const code = of.code < 1000 ? made.base + of.code : of.code
      expect({ ...error, message: error.message }).toMatchObject({
        reason: of.reason,
        rpc: of.rpc,
        code,
        message,
        domain: { name: 'made' },
      })
      expect(error.metadata).toEqual(metadata)
      expect(error.details).toEqual(given)
    }),
  )
})
