import type { Aim } from '../../aim.ts'
import type { AreaRecipes, Fault, Recipe } from '../../recipe.ts'
import type { World } from '../../world.ts'
import { deleting, newArtifact, newRepository } from './rows.ts'

export const noReference: Fault = {
  reason: 'REFERENCE_INVALID',
  apply: aim => ({ ...aim, path: { ...aim.path, reference: '-v1' } }),
}

/** Returns the path of a new artifact with the tag `v1`. */
export async function newPath(world: World): Promise<Aim['path']> {
  const { repository = '', workspace = '' } = await newRepository(world)
  await newArtifact(world, repository, 'v1')
  return { repository, workspace, reference: 'v1' }
}

const faults: Recipe['faults'] = { rule: noReference, state: deleting() }

export const artifactRecipes: AreaRecipes = {
  operations: {
    deleteArtifact: { aim: async world => ({ path: await newPath(world) }), faults },
    deleteTag: { aim: async world => ({ path: { ...(await newPath(world)), tag: 'v1' } }), faults },
  },
}
