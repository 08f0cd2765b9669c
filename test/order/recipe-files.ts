import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AreaRecipes } from './recipe.ts'

const folder = join(import.meta.dirname, 'recipes')

/**
 * Reads the recipes of all areas that have a file in `recipes/`; returns the recipes, keyed by the name of the area.
 */
export async function allRecipes(): Promise<ReadonlyMap<string, AreaRecipes>> {
  const files = readdirSync(folder, { withFileTypes: true }).filter(entry => entry.isFile())
  const read = files.map(async ({ name }) => {
    const { recipes }: { readonly recipes: AreaRecipes } = await import(pathToFileURL(join(folder, name)).href)
    return [basename(name, '.ts'), recipes] as const
  })
  return new Map(await Promise.all(read))
}
