import { lockHeld, lockNotFound } from '../../../output/registry/errors.ts'
import { deploymentLockFields } from '../../../output/registry/validators.ts'
import { defineKind } from '../../resources/kind.ts'
import type { StateTable } from '../../resources/states.ts'
import { repositoryKind } from '../repositories/repository-kind.ts'
import { lockCollection, type StoredLock } from './locks-store.ts'

/** The type of the holders whose locks only compute makes and ends. */
export const machineType = 'compute.vms'

const held = ({ id }: Pick<StoredLock, 'id'>) =>
  lockHeld(`lock ${id} belongs to a virtual machine, and ends with it`, {
    precondition: [{ type: 'HOLDER', subject: id, description: `the holder must not be of type ${machineType}` }],
  })

const changeable = ['REGISTRY_DEPLOYMENT_LOCK_STATE_ACTIVE', 'REGISTRY_DEPLOYMENT_LOCK_STATE_EXPIRED']

const states: StateTable<StoredLock> = {
  member: 'state',
  transitions: { update: { type: 'UPDATE', from: changeable }, delete: { type: 'DELETE', from: changeable } },
  busy: row => (row.holder?.type === machineType ? held(row) : undefined),
  // Both states allow every change, so only `busy` refuses.
  invalid: (_message, _states, { precondition }) => lockHeld('the lock cannot be changed', { precondition }),
}

/** The kind of deployment locks. Their mutations hold the lock of the row of the repository (registry.md 4.5). */
export const lockKind = defineKind({
  type: 'registry.deploymentLocks',
  noun: 'deployment lock',
  collection: lockCollection,
  fields: deploymentLockFields,
  notFound: lockNotFound,
  parent: { member: 'repository_id', parameter: 'repository', kind: repositoryKind, hold: 'lock' },
  states,
  isHolding: false,
})
