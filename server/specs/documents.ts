import { fileURLToPath } from 'node:url'
import { DiagnosticList } from '../../generator/diagnostics.ts'
import { build } from '../../generator/model/build.ts'
import type { Document } from '../../generator/model/types.ts'
import { load } from '../../generator/read/load.ts'

/** The folder `specs/`, for the sources and for their build. */
const root = fileURLToPath(new URL('../..', import.meta.url))

/** The path of a document by its name. */
export const specFile = (name: string): string => `${root}specs/${name}.yaml`

/** Loads the documents of these names with the generator's reader. Throws if a document cannot be read. */
export async function readDocuments(names: readonly string[]): Promise<ReadonlyMap<string, Document>> {
  const entries = names.map(name => ({ name, file: `specs/${name}.yaml` }))
  const { loaded, diagnostics } = await load(entries, { allowRefs: false, cwd: root })
  const error = diagnostics.find(({ severity }) => severity === 'error')
  if (error) throw new Error(`the documents of specs/ cannot be read: ${error.message}`)
  const { documents } = build(loaded, new DiagnosticList())
  return new Map(documents.map(document => [document.name, document]))
}
