import type { AreaRecipes } from '../recipe.ts'
import { bucketRecipes } from './storage/buckets.ts'
import { classRecipes } from './storage/classes.ts'
import { contentRecipes } from './storage/contents.ts'

export const recipes: AreaRecipes = {
  operations: { ...bucketRecipes.operations, ...classRecipes.operations, ...contentRecipes.operations },
  reasons: { ...bucketRecipes.reasons, ...classRecipes.reasons, ...contentRecipes.reasons },
}
