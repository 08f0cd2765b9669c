import type { AreaRecipes } from '../recipe.ts'
import { secretRecipes } from './vault/secrets.ts'

export const recipes: AreaRecipes = {
  operations: { ...secretRecipes.operations },
  reasons: { ...secretRecipes.reasons },
}
