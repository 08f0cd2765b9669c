import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { familyOf, type DetailName } from '../error-families.ts'
import { readTable } from './tables.ts'

const table = readTable('errors', ['area', 'reason', 'code', 'rpc', 'when'])

/** The name of each detail in google.rpc, keyed by its member of `ErrorDetails`. */
const detailNames: Readonly<Record<string, DetailName>> = {
  badRequest: 'BadRequest',
  precondition: 'PreconditionFailure',
  quota: 'QuotaFailure',
  resource: 'ResourceInfo',
  retryAfterSeconds: 'RetryInfo',
}

/**
 * Returns the details that a generated constructor requires: alternatives, each a list of names. Throws if the file has
 * no constructor of the reason.
 */
function requiredBy(source: string, reason: string): readonly (readonly DetailName[])[] {
  const found = new RegExp(`export const \\w+ = \\(([^=]*?)\\) =>\\s+new ApiError\\(reasonOf\\('${reason}',`).exec(
    source,
  )
  if (!found) throw new Error(`no constructor has the reason ${reason}`)
  const [, type] = /details: (.*?),?\s*$/s.exec(found[1] ?? '') ?? []
  if (type === undefined) return [[]]
  return type
    .split(/\| (?=DetailsWith)/)
    .map(each =>
      [...each.matchAll(/'(\w+)'/g)].map(([, member = '']) => detailNames[member] ?? 'BadRequest').toSorted(),
    )
}

const files = new Map(
  ['shared', ...new Set(table.map(({ area }) => area))].map(area => [
    area,
    readFileSync(new URL(`../../output/${area}/errors.ts`, import.meta.url), 'utf8'),
  ]),
)

describe('the constructor of every error with which a call can fail', () => {
  it.each(table.filter(({ rpc }) => rpc !== '-'))(
    'of $area requires the details of its family: $reason',
    ({ area, code, reason, rpc }) => {
      const isCommon = Number(code) % 1_000_000 < 100
      const source = files.get(isCommon ? 'shared' : area) ?? ''
      expect(requiredBy(source, reason)).toEqual(familyOf(reason, rpc))
    },
  )
})
