import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Check } from '../runtime/validation.ts'
import { generation, newFolder, removeFolder, repository, runtimeFrom, writeFiles } from './generator/generation.ts'

/**
 * Generates the checks of the responses of an area, and returns the checks of `schemas`, keyed by schema name. The
 * committed output has no checks of responses, because no server reads its own responses. Throws if the document has no
 * such schema.
 */
export async function answerChecks<N extends string>(area: string, ...schemas: N[]): Promise<Record<N, Check>> {
  const folder = newFolder()
  try {
    const documents = ['common', area].map(name => join('specs', `${name}.yaml`))
    const { files } = await generation(documents, repository, runtimeFrom(folder), ['common=shared'])
    writeFiles(folder, files)
    const path = join(folder, area, 'validators.ts')
    const module: Readonly<Record<string, Check>> = await import(pathToFileURL(path).href)
    const checkOf = (schema: string): Check => {
      const check = module[`check${schema}`]
      if (!check) throw new Error(`${area} has no check of ${schema}`)
      return check
    }
    // The object has exactly the names in `schemas`.
    return Object.fromEntries(schemas.map(schema => [schema, checkOf(schema)])) as Record<N, Check>
  } finally {
    removeFolder(folder)
  }
}
