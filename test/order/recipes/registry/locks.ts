import { lockCollection } from '../../../../domain/registry/locks/locks-store.ts'
import { withBody } from '../../aim.ts'
import type { AreaRecipes, Fault } from '../../recipe.ts'
import { resourceRecipes, type Resource } from '../../resource-recipes.ts'
import { deleting, newArtifact, newRepository } from './rows.ts'

const held: Fault = {
  reason: 'LOCK_HELD',
  async apply(aim, { store }) {
    await store.tx(async tx => {
      const stored = await tx.lock(lockCollection, aim.path['id'] ?? '')
      if (!stored) throw new Error('the path names no lock')
      const holder = { type: 'compute.vms', id: stored.id }
      await tx.update(lockCollection, stored.id, { ...stored.value, holder }, stored.version)
    })
    return aim
  },
}

const noReference: Fault = { reason: 'REFERENCE_INVALID', apply: aim => withBody(aim, { reference: 'a/b' }) }

const past: Fault = {
  reason: 'EXPIRE_TIME_IN_PAST',
  apply: aim => withBody(aim, { expire_time: '2001-01-01T00:00:00Z' }),
}

const lock: Resource = {
  noun: 'DeploymentLock',
  async at(world) {
    const { repository = '', workspace = '' } = await newRepository(world)
    await newArtifact(world, repository, 'v1')
    return { repository, workspace }
  },
  body: ({ newName }) => ({ name: newName(), reference: 'v1', reason: 'in use' }),
  calls: {
    create: {
      faults: {
        rule: noReference,
        state: deleting(),
        reference: { reason: 'ARTIFACT_NOT_FOUND', apply: aim => withBody(aim, { reference: 'v2' }) },
      },
    },
    update: { body: { reason: 'still in use' }, faults: { state: held, reference: past } },
    delete: { faults: { state: held } },
  },
}

export const lockRecipes: AreaRecipes = { operations: resourceRecipes(lock) }
