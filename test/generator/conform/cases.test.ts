import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { RequestSender } from '../../../generator/conform/call.ts'
import { conform } from '../../../generator/conform/conform.ts'
import { DiagnosticList } from '../../../generator/diagnostics.ts'
import { build } from '../../../generator/model/build.ts'
import type { Document } from '../../../generator/model/types.ts'
import { load } from '../../../generator/read/load.ts'

const cwd = join(import.meta.dirname, '../../cases/openapi')

async function documentOf(file: string): Promise<Document | undefined> {
  const { loaded } = await load([{ name: 'sample', file }], { allowRefs: false, cwd })
  const diagnostics = new DiagnosticList()
  const { documents } = build(loaded, diagnostics)
  return diagnostics.sorted().some(({ severity }) => severity === 'error') ? undefined : documents[0]
}

const found: (readonly [file: string, document: Document])[] = []
for (const file of readdirSync(cwd).filter(name => name.endsWith('.yaml'))) {
  const document = await documentOf(file)
  if (document) found.push([file, document])
}

/**
 * The documents without an example. A value such as `{"amount":1,"shares":1}` is needed: it fits exactly one form,
 * because the other form forbids its shares.
 */
const withoutExample: readonly string[] = ['oneof-overlapping.yaml']

const unwritten: RequestSender = async ({ headers, target }) => {
  expect(URL.canParse(`http://sample${target}`)).toBe(true)
  expect(() => new Headers(headers)).not.toThrow()
  return { status: 501, headers: {}, body: '' }
}

describe('every operation of a foreign document can be walked', () => {
  test.each(found)('%s', async (file, document) => {
    const schemas = new Map(document.schemas.map(schema => [schema.id, schema]))
    const { findings, walked } = await conform(document, schemas, unwritten)
    expect(walked).toHaveLength(document.operations.length)
    if (withoutExample.includes(file)) return
    expect(findings.filter(({ proof }) => proof === 'example' || proof === 'routed')).toEqual([])
    expect(walked.filter(({ requests }) => requests === 0)).toEqual([])
  })
})
