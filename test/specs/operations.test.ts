import { describe, expect, it } from 'vitest'
import { answerOf, areas, nodeAt, operationsOf, recordOf } from './documents.ts'
import type { Operation } from './documents.ts'
import { notSpecifiedYet } from './not-specified-yet.ts'
import { readTable } from './tables.ts'

const columns = ['method', 'path', 'operationId', 'answer', 'mode', 'permission'] as const
const table = readTable('operations', ['area', ...columns])

describe.each(areas.map(spec => [spec.area, spec] as const))('operations of %s', (area, spec) => {
  const operations = operationsOf(spec)
  const rows = table.filter(row => row.area === area)
  const missing = notSpecifiedYet[area] ?? []

  it('equal the table in method, path, response, mode and permission', () => {
    const expected = rows
      .filter(row => !missing.includes(row.operationId))
      .map(row => columns.map(column => row[column]).join(' '))
    expect(operations.map(rowOf).toSorted()).toEqual(expected.toSorted())
  })

  it('that are not specified yet are in the table and not in the document', () => {
    const ids = rows.map(row => row.operationId)
    expect(missing.filter(id => !ids.includes(id))).toEqual([])
    expect(operations.map(({ id }) => id).filter(id => missing.includes(id))).toEqual([])
  })

  it('have ids that are unique', () => {
    const ids = operations.map(({ id }) => id)
    expect(ids).toEqual([...new Set(ids)])
  })
})

/** Returns an operation in the form of the table. */
function rowOf(operation: Operation): string {
  const { spec, method, path, id, node } = operation
  const mode = String(node['x-mode'])
  const access = nodeAt(node, 'x-access')
  const answer = answerOf(operation).name
  return [
    method,
    path,
    id,
    mode !== 'data' && answer === recordOf(spec) ? 'operation' : answer,
    mode,
    access.kind === 'permission' ? access.key : access.kind,
  ].join(' ')
}
