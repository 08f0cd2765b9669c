import { repositoryDeleting, repositoryNotFound } from '../../../output/registry/errors.ts'
import { repositoryFields } from '../../../output/registry/validators.ts'
import { defineKind } from '../../resources/kind.ts'
import { requireState, type StateTable } from '../../resources/states.ts'
import { repositoryCollection, type StoredRepository } from './repositories-store.ts'

const present = ['REGISTRY_REPOSITORY_STATE_ACTIVE', 'REGISTRY_REPOSITORY_STATE_READ_ONLY']

const states: StateTable<StoredRepository> = {
  member: 'state',
  transitions: {
    update: { type: 'UPDATE', from: present },
    delete: { type: 'DELETE', from: present },
    deleteContent: { type: 'DELETE', from: present, to: 'REGISTRY_REPOSITORY_STATE_DELETING' },
    change: { type: 'UPDATE', from: present },
  },
  invalid: (_, _states, { precondition }) =>
    repositoryDeleting('the repository is being deleted and takes no change', { precondition }),
}

/** The kind of repositories. */
export const repositoryKind = defineKind({
  type: 'registry.repositories',
  noun: 'repository',
  collection: repositoryCollection,
  fields: repositoryFields,
  notFound: repositoryNotFound,
  states,
})

/** Throws REPOSITORY_DELETING if the content of the repository may not change (conventions §4, step 11). */
export const requireChangeable = (repository: StoredRepository): void =>
  requireState(repositoryKind, repository, 'change')
