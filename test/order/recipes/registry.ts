import type { AreaRecipes } from '../recipe.ts'
import { artifactRecipes } from './registry/artifacts.ts'
import { lockRecipes } from './registry/locks.ts'
import { repositoryRecipes } from './registry/repositories.ts'
import { retentionRecipes } from './registry/retention.ts'
import { ruleRecipes } from './registry/rules.ts'
import { scanRecipes } from './registry/scans.ts'

export const recipes: AreaRecipes = {
  operations: {
    ...artifactRecipes.operations,
    ...repositoryRecipes.operations,
    ...ruleRecipes.operations,
    ...lockRecipes.operations,
    ...scanRecipes.operations,
    ...retentionRecipes.operations,
  },
  reasons: { ...repositoryRecipes.reasons, ...ruleRecipes.reasons, ...scanRecipes.reasons },
}
