import type { AreaRecipes } from '../recipe.ts'
import { capsuleRecipes } from './vault/capsules.ts'
import { certificateRecipes } from './vault/certificates.ts'
import { keyRecipes } from './vault/keys.ts'
import { secretRecipes } from './vault/secrets.ts'
import { snapshotRecipes } from './vault/snapshots.ts'

export const recipes: AreaRecipes = {
  operations: {
    ...capsuleRecipes.operations,
    ...certificateRecipes.operations,
    ...keyRecipes.operations,
    ...secretRecipes.operations,
    ...snapshotRecipes.operations,
  },
  reasons: {
    ...capsuleRecipes.reasons,
    ...certificateRecipes.reasons,
    ...keyRecipes.reasons,
    ...secretRecipes.reasons,
  },
}
