import type { AreaRecipes } from '../recipe.ts'
import { silenceRecipes } from './observability/silences.ts'

export const recipes: AreaRecipes = {
  operations: { ...silenceRecipes.operations },
}
