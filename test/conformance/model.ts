import { fileURLToPath } from 'node:url'
import { DiagnosticList } from '../../generator/diagnostics.ts'
import { build } from '../../generator/model/build.ts'
import type { Document, ErrorReason, NamedSchema } from '../../generator/model/types.ts'
import { load } from '../../generator/read/load.ts'

/** The model of an area's document. */
export interface AreaModel {
  readonly document: Document
  readonly schemas: ReadonlyMap<string, NamedSchema>
  /** The reasons that every area can raise. */
  readonly common: readonly ErrorReason[]
}

/**
 * Reads `specs/<area>.yaml` with the shared components; returns the model, and throws if the document does not exist.
 */
export async function modelOf(area: string): Promise<AreaModel> {
  const cwd = fileURLToPath(new URL('../..', import.meta.url))
  const entries = [
    { name: 'shared', file: 'specs/common.yaml' },
    { name: area, file: `specs/${area}.yaml` },
  ]
  const { loaded } = await load(entries, { allowRefs: false, cwd })
  const { documents } = build(loaded, new DiagnosticList())
  const [common, document] = documents
  if (!common || !document) throw new Error(`specs/${area}.yaml cannot be read`)
  const schemas = new Map(documents.flatMap(each => each.schemas.map(schema => [schema.id, schema] as const)))
  return { document, schemas, common: common.errors }
}
