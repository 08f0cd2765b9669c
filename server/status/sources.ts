import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AreaModule } from '../area.ts'
import { readDocuments } from '../specs/documents.ts'
import type { AreaSources } from './status.ts'

/** Where the handwritten code of areas lies, in the sources as in what is built of them. */
const domains = fileURLToPath(new URL('../../domain', import.meta.url))

/** Reads what tells the status of areas: their documents and their code. Sorted by area. */
export async function readSources(areas: readonly AreaModule[]): Promise<readonly AreaSources[]> {
  const documents = await readDocuments(['common', ...areas.map(({ domain }) => domain.name)])
  const sources = areas.flatMap(area => {
    const document = documents.get(area.domain.name)
    return document ? [{ area, document, stubs: stubsIn(join(domains, document.name)) }] : []
  })
  return sources.toSorted((a, b) => (a.document.name < b.document.name ? -1 : 1))
}

/** The ids of operations whose handler is a stub as the scaffolder writes it. */
export function stubsIn(folder: string): ReadonlySet<string> {
  const files = globSync('**/*.{ts,js}', { cwd: folder, exclude: ['**/*.d.ts'] })
  const texts = files.map(file => readFileSync(join(folder, file), 'utf8'))
  return new Set(texts.flatMap(text => [...text.matchAll(stub)].map(([, id = '']) => id)))
}

const stub = /\bthrow unimplemented\(\s*['"]([^'"\n]+)['"]/g
