import { lockAlreadyExists } from '../../../output/registry/errors.ts'
import { deploymentLocksList } from '../../../output/registry/filters.ts'
import type { DeploymentLock } from '../../../output/registry/types.ts'
import type { Collection } from '../../ports/store.ts'

/** The row of a deployment lock. Its text is the answer until it expires: the state follows from the time of the read. */
export interface StoredLock extends DeploymentLock {
  readonly workspace_id: string
  readonly repository_id: string
  /** The workspace of the machine that holds the lock; empty for other locks. */
  readonly holder_workspace_id: string
}

/** The deployment locks of all repositories. */
export const lockCollection: Collection<StoredLock> = {
  name: 'registry_deployment_locks',
  id: 'id',
  list: deploymentLocksList,
  listedBelow: 'repository_id',
  columns: { workspace_id: 'STRING', repository_id: 'STRING' },
  hidden: ['workspace_id', 'repository_id', 'holder_workspace_id'],
  uniques: [
    {
      fields: ['repository_id', 'name'],
      taken: ({ name }) =>
        lockAlreadyExists(`a deployment lock named ${name} exists for the repository`, {
          resource: { type: 'registry.deploymentLocks', name },
        }),
    },
  ],
  indexes: [['workspace_id'], ['holder.type', 'holder.id']],
}

/** A digest or tag that a deployment lock protects. */
export interface Protected {
  /** The id of the lock, a slash, and the digest or `tag:` with the name of the tag. */
  readonly id: string
  readonly lock_id: string
  readonly repository_id: string
  /** A digest, or `tag:` and the name of a tag. */
  readonly target: string
  /** The time at which the lock ends; absent for a lock without end. */
  readonly expire_time?: string
}

/** The digests and tags that deployment locks protect, so that a deletion finds its locks by an index. */
export const protectedCollection: Collection<Protected> = {
  name: 'registry_protected_targets',
  id: 'id',
  columns: { lock_id: 'STRING', repository_id: 'STRING', target: 'STRING' },
  indexes: [['repository_id', 'target'], ['lock_id']],
}

/** Returns the target of a tag. */
export const tagTarget = (tag: string): string => `tag:${tag}`
