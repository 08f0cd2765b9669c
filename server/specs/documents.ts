import { fileURLToPath } from 'node:url'
import { DiagnosticList } from '../../generator/diagnostics.ts'
import { build } from '../../generator/model/build.ts'
import type { Document } from '../../generator/model/types.ts'
import { load } from '../../generator/read/load.ts'

/** The folder that contains `specs/`, with a slash at its end: of the sources, or of their build. */
const root = fileURLToPath(new URL('../..', import.meta.url))

/** Returns the path of the document with a name. */
export const specFile = (name: string): string => `${root}specs/${name}.yaml`

/**
 * Returns the models of documents, keyed by name. Loads the documents with the generator's reader. Throws if a document
 * cannot be read.
 */
export async function readDocuments(names: readonly string[]): Promise<ReadonlyMap<string, Document>> {
  const entries = names.map(name => ({ name, file: `specs/${name}.yaml` }))
  const { loaded, diagnostics } = await load(entries, { allowRefs: false, cwd: root })
  const error = diagnostics.find(({ severity }) => severity === 'error')
  if (error) throw new Error(`the documents of specs/ cannot be read: ${error.message}`)
  const { documents } = build(loaded, new DiagnosticList())
  return new Map(documents.map(document => [document.name, document]))
}
