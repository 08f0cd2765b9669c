import type { AreaRecipes } from '../recipe.ts'
import { bucketRecipes } from './storage/buckets.ts'
import { classRecipes } from './storage/classes.ts'

export const recipes: AreaRecipes = {
  operations: { ...bucketRecipes.operations, ...classRecipes.operations },
  reasons: { ...bucketRecipes.reasons, ...classRecipes.reasons },
}
