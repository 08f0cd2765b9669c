import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AreaModule } from '../area.ts'
import { readDocuments } from '../specs/documents.ts'
import type { AreaSources } from './status.ts'

/** The folder of the areas' handwritten code, for the sources and for their build. */
const domains = fileURLToPath(new URL('../../domain', import.meta.url))

/** Returns the sources of the areas' status: their documents and the stubs in their code. Sorted by area. */
export async function readSources(areas: readonly AreaModule[]): Promise<readonly AreaSources[]> {
  const documents = await readDocuments(['common', ...areas.map(({ domain }) => domain.name)])
  const sources = areas.flatMap(area => {
    const document = documents.get(area.domain.name)
    return document ? [{ area, document, stubs: stubsIn(join(domains, document.name)) }] : []
  })
  return sources.toSorted((a, b) => (a.document.name < b.document.name ? -1 : 1))
}

/** Returns the ids of operations whose handler is a stub of the scaffolder. */
export function stubsIn(folder: string): ReadonlySet<string> {
  const files = globSync('**/*.{ts,js}', { cwd: folder, exclude: ['**/*.d.ts'] })
  const texts = files.map(file => readFileSync(join(folder, file), 'utf8'))
  return new Set(texts.flatMap(text => [...text.matchAll(stub)].map(([, id = '']) => id)))
}

const stub = /\bthrow unimplemented\(\s*['"]([^'"\n]+)['"]/g
