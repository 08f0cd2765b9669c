import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isRecord } from '../../runtime/validation.ts'
import { stateOf } from '../../runtime/operations.ts'
import { testPlatform } from '../areas/test-platform.ts'
import { lackOf } from '../error-families.ts'
import { isStatus } from '../runtime/status-judge.ts'
import { ScenarioPlatform, scenarioOptions, scenarios } from './error-scenarios.ts'

/** The expected response of a scenario. */
interface Expected {
  /** The code of google.rpc; 0 for a success. */
  readonly code: number
  readonly http: number
  /** The names of the details that the response must have; conventions §7 may add others. */
  readonly details: readonly string[]
  /** The field that BadRequest must name. */
  readonly field?: string
  readonly extra?: { readonly operation: { readonly done: boolean; readonly error_code?: number } }
}

interface Case extends Expected {
  readonly id: string
  readonly kind: string
  readonly words: string
}

const file: { readonly cases: readonly Case[] } = JSON.parse(readFileSync('test/cases/aip/errors.json', 'utf8'))
const cases = file.cases.filter(({ kind }) => kind === 'scenario')

/** The expectations that conventions decide in another way, keyed by the id of the case. */
const conventions: Readonly<Record<string, Partial<Expected>>> = {
  // The parameters of the path are fields, and the VPC is named by `id` (§3).
  'er-056': { field: 'id' },
  // The field of a machine is `memory_mib`; the case has a server with `cores`.
  'er-063': { field: 'memory_mib' },
  // No update creates a resource, and an unknown query parameter is refused (§1).
  'er-065': { code: 3, http: 400, details: ['ErrorInfo', 'BadRequest'], field: 'allow_missing' },
  // The etag is optional (§6).
  'er-071': { code: 0, http: 200, details: [] },
  // A wrong method is ROUTE_NOT_FOUND with HTTP 405 (§7).
  'er-080': { code: 5, http: 405 },
  // An absent body is refused where a body is required; `{}` suffices (§6).
  'er-082': { code: 3, http: 400, details: ['ErrorInfo', 'BadRequest'] },
  // RESOURCE_EXHAUSTED has QuotaFailure or RetryInfo (§7).
  'er-084': { details: ['ErrorInfo', 'RetryInfo'] },
  // Calls have no deadline: work that takes long is an operation (§15). The deadline is that of the body, and its caller
  // is late (docs/operate.md).
  'er-086': { code: 3, http: 408, details: ['ErrorInfo', 'BadRequest'], field: 'request' },
  // Nobody reads the response after the caller has left, so the response has no body.
  'er-087': { details: [] },
  // The errors of an operation have the number of their reason (§5): OPERATION_CANCELLED of compute.
  'er-093': { extra: { operation: { done: true, error_code: 1_000_021 } } },
  // The path has no verb `cancel`: it is the path of an operation with another method (§7).
  'er-098': { code: 5, http: 405 },
  // No operation can be cancelled by its path, whether or not it has ended.
  'er-099': { code: 5, http: 405, details: ['ErrorInfo'] },
  // The path has no verb `wait`: clients poll.
  'er-100': { code: 5, http: 405, details: ['ErrorInfo'] },
  // The later update is refused, and the earlier operation continues.
  'er-101': { code: 10, http: 409, details: ['ErrorInfo', 'RetryInfo'] },
  // `validate_only` is not offered: an unknown query parameter is refused (§1).
  'er-105': { code: 3, http: 400, details: ['ErrorInfo', 'BadRequest'], field: 'validate_only' },
  'er-106': { code: 3, http: 400, details: ['ErrorInfo', 'BadRequest'], field: 'validate_only' },
  // The key is a header, which BadRequest names by the name of the header (§6).
  'er-109': { field: 'Idempotency-Key' },
}

/** Returns the difference between a response and an expectation; undefined if there is none. */
function differenceOf({ status, text }: { readonly status: number; readonly text: string }, expected: Expected) {
  const told: unknown = text === '' ? undefined : JSON.parse(text)
  if (status !== expected.http) return `HTTP ${status}: ${text}`
  if (expected.code === 0) return expected.extra && operationDifference(told, expected.extra.operation)
  if (expected.details.length === 0) return told === undefined ? undefined : `the body ${text}`
  if (!isStatus(told)) return `no google.rpc.Status: ${text}`
  const { code, details } = statusOf(told)
  const names = details.map(detail => String(detail['@type']).split('.').at(-1) ?? '')
  const lacking = expected.details.filter(name => !names.includes(name))
  if (code !== expected.code || lacking.length > 0) return `code ${code} with ${names.join()}`
  const violations = details.flatMap(({ field_violations: list }) => (Array.isArray(list) ? list.filter(isRecord) : []))
  const isNamed = expected.field === undefined || violations.some(({ field }) => field === expected.field)
  return isNamed ? lackOf(told) : `the fields of ${text}`
}

/** Returns the code and the details of a google.rpc.Status. */
function statusOf(told: unknown): { readonly code: unknown; readonly details: readonly Record<string, unknown>[] } {
  const { code, details } = isRecord(told) ? told : {}
  return { code, details: Array.isArray(details) ? details.filter(isRecord) : [] }
}

function operationDifference(told: unknown, { done, error_code }: { done: boolean; error_code?: number }) {
  if (!isRecord(told) || typeof told['id'] !== 'string' || typeof told['status'] !== 'string') return 'no operation'
  const state = stateOf({ id: told['id'], status: told['status'] })
  const [error]: readonly unknown[] = Array.isArray(told['errors']) ? told['errors'] : []
  const code = isRecord(error) ? error['code'] : undefined
  if (done === (state === 'DONE' || state === 'ERROR') && code === error_code) return undefined
  return `${state} with the code ${code}`
}

const undo: (() => void | Promise<void>)[] = []
let at: ScenarioPlatform

beforeAll(async () => {
  at = await ScenarioPlatform.over(await testPlatform({ ...scenarioOptions, later: each => void undo.push(each) }))
})

afterAll(async () => {
  for (const each of undo.toReversed()) await each()
})

describe('the served platform answers the AIP scenario', () => {
  test.each(cases)('$id $words', async found => {
    const answer = await scenarios[found.id]?.(at)
    const told = { status: answer?.status ?? 0, text: (await answer?.text()) ?? '' }
    expect(differenceOf(told, { ...found, ...conventions[found.id] })).toBeUndefined()
    // A row of `conventions` must be needed.
    if (conventions[found.id] !== undefined) expect(differenceOf(told, found)).toBeDefined()
  })
})

test('every scenario is made', () => {
  const ids = cases.map(({ id }) => id).toSorted()
  expect(Object.keys(scenarios).toSorted()).toEqual(ids)
  expect(Object.keys(conventions).filter(id => scenarios[id] === undefined)).toEqual([])
})
