import { describe, expect, it } from 'vitest'
import { areas, asList, asNode, nodeAt, operationsOf, specOf } from './documents.ts'
import type { Spec } from './documents.ts'
import { itemsOf, readTable } from './tables.ts'

const table = readTable('errors', ['area', 'reason', 'code', 'rpc', 'when'])
const common = specOf('common')
const commonReasons = Object.keys(nodeAt(common.root, 'x-errors'))
const tableAreas = [...new Set(table.map(row => row.area))]

/** Returns true for a code of the common block, which has the numbers S_000_001 to S_000_099 in every area. */
const isCommon = (code: string) => Number(code) % 1_000_000 < 100

describe('common errors', () => {
  it.each(tableAreas)('are the common block of %s', area => {
    const block = table.filter(row => row.area === area && isCommon(row.code))
    expect(errorsOf(common)).toEqual(
      block.map(row => ({ reason: row.reason, code: Number(row.code) % 1_000_000, rpc: row.rpc })),
    )
  })
})

describe.each(areas.map(spec => [spec.area, spec] as const))('errors of %s', (area, spec) => {
  const own = table.filter(row => row.area === area && !isCommon(row.code))

  it('equal the table in reason, code and rpc code, in its order', () => {
    expect(errorsOf(spec)).toEqual(own.map(row => ({ reason: row.reason, code: Number(row.code), rpc: row.rpc })))
  })

  it.each(operationsOf(spec).map(({ id, node }) => [id, node['x-raises']] as const))(
    '%s raises declared reasons, each once, and names no common reason',
    (_, raises) => {
      expect(raises).toBeInstanceOf(Array)
      const reasons = asList(raises).map(String)
      const declared = [
        ...own.map(row => row.reason),
        ...table.filter(row => row.area !== area).map(row => `${row.area}.${row.reason}`),
      ]
      expect(reasons.filter(reason => !declared.includes(reason))).toEqual([])
      expect(reasons.filter(reason => commonReasons.includes(reason.replace(/^\w+\./, '')))).toEqual([])
      expect(reasons).toEqual([...new Set(reasons)])
    },
  )
})

const declarations = [common, ...areas].flatMap(spec =>
  Object.entries(nodeAt(spec.root, 'x-errors')).map(([reason, error]) => [spec.area, reason, asNode(error)] as const),
)

describe.each(declarations)('%s %s', (area, reason, error) => {
  it('is described', () => {
    expect(error.description).toMatch(/^[A-Z].*\.$/s)
  })

  it('has the metadata that the table names', () => {
    const row = table.find(each => each.reason === reason && (area === 'common' || each.area === area))
    expect(Object.keys(asNode(error.metadata)).toSorted()).toEqual(metadataIn(row?.when ?? '').toSorted())
    for (const description of Object.values(asNode(error.metadata))) expect(description).toMatch(/^\S.*\.$/s)
  })
})

function errorsOf(spec: Spec): readonly object[] {
  return Object.entries(nodeAt(spec.root, 'x-errors')).map(([reason, error]) => ({
    reason,
    code: asNode(error).code,
    rpc: asNode(error).rpc ?? '-',
  }))
}

/**
 * Returns the names after each word `metadata`: `metadata depth, max_depth 10` has two, and so has `metadata.a,
 * metadata.b`.
 */
function metadataIn(when: string): readonly string[] {
  const names = /\bmetadata[ .]([a-z_]+(?:, (?!metadata\b)[a-z_]+)*)/g
  return [...when.matchAll(names)].flatMap(([, found]) => itemsOf(found ?? ''))
}
