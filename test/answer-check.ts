import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Check } from '../runtime/validation.ts'
import { generation, newFolder, removeFolder, repository, runtimeFrom, writeFiles } from './generator/generation.ts'

/**
 * The checks of an area's answers, by the name of the schema. The output of the platform has none, since no server
 * reads its answers, so they are generated here. Throws if the document has no such schema.
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
    // Made of the names that were asked for.
    return Object.fromEntries(schemas.map(schema => [schema, checkOf(schema)])) as Record<N, Check>
  } finally {
    removeFolder(folder)
  }
}
