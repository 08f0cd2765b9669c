import { conform } from '../../../generator/conform/conform.ts'
import type { ConformanceReport } from '../../../generator/conform/report.ts'
import type { RequestSender } from '../../../generator/conform/call.ts'
import type { ConformOptions } from '../../../generator/conform/subject.ts'
import { DiagnosticList } from '../../../generator/diagnostics.ts'
import { build } from '../../../generator/model/build.ts'
import type { ErrorReason, NamedSchema } from '../../../generator/model/types.ts'
import { load } from '../../../generator/read/load.ts'
import { existingNote, notesToken } from './notes-server.ts'

const { loaded } = await load([{ name: 'notes', file: 'notes.yaml' }], { allowRefs: false, cwd: import.meta.dirname })
const { documents } = build(loaded, new DiagnosticList())

const reason = (name: string, code: number, rpc: string): ErrorReason => ({
  reason: name,
  code,
  rpc,
  description: '',
  metadata: [],
})

const common = [
  reason('ROUTE_NOT_FOUND', 9, 'NOT_FOUND'),
  reason('FIELD_INVALID', 10, 'INVALID_ARGUMENT'),
  reason('UPDATE_MASK_INVALID', 12, 'INVALID_ARGUMENT'),
  reason('FILTER_INVALID', 13, 'INVALID_ARGUMENT'),
  reason('ORDER_BY_INVALID', 14, 'INVALID_ARGUMENT'),
  reason('PAGE_TOKEN_INVALID', 15, 'INVALID_ARGUMENT'),
]

/**
 * Runs the conformance check on a server of notes.yaml as a foreign document would describe the server: without the
 * extensions for errors and access. Returns the report.
 */
export async function walkForeignNotes(call: RequestSender): Promise<ConformanceReport> {
  const [document] = documents
  if (!document) throw new Error('notes.yaml cannot be read')
  const operations = document.operations.map(operation => ({
    ...operation,
    access: undefined,
    raises: undefined,
    list: undefined,
    failures: operation.failures.map(failure => ({ ...failure, content: undefined, contents: [] })),
  }))
  const schemas = new Map<string, NamedSchema>(document.schemas.map(schema => [schema.id, schema]))
  return conform({ ...document, operations, errors: [] }, schemas, call, { authorization: notesToken })
}

/** Runs the conformance check on a server of notes.yaml; returns the report. */
export async function walkNotes(call: RequestSender, options: ConformOptions = {}): Promise<ConformanceReport> {
  const [document] = documents
  if (!document) throw new Error('notes.yaml cannot be read')
  const schemas = new Map<string, NamedSchema>(document.schemas.map(schema => [schema.id, schema]))
  return conform(document, schemas, call, {
    authorization: notesToken,
    common,
    platform: true,
    existing: { path: existingNote },
    ...options,
  })
}
