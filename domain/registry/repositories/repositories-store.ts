import { repositoryAlreadyExists } from '../../../output/registry/errors.ts'
import { repositoriesList } from '../../../output/registry/filters.ts'
import type { Repository } from '../../../output/registry/types.ts'
import type { Collection } from '../../ports/store.ts'

/**
 * The row of a repository. Every change of its artifacts, tags and blobs locks the row, and keeps `artifact_count`,
 * `tag_count` and `size_bytes` exact; they are 0 in an engine of a cluster. `uri` is made at the answer from `path`,
 * because the host is a setting.
 */
export interface StoredRepository extends Omit<Repository, 'uri'> {
  readonly artifact_count: number
  readonly tag_count: number
  readonly size_bytes: number
  /** The names of organisation, workspace and repository, joined by slashes; none of the names ever changes. */
  readonly path: string
}

/** The repositories of all workspaces and engines. */
export const repositoryCollection: Collection<StoredRepository> = {
  name: 'registry_repositories',
  id: 'id',
  list: repositoriesList,
  listedBelow: 'workspace_id',
  columns: { workspace_id: 'STRING', engine: 'STRING', path: 'STRING' },
  hidden: ['path'],
  uniques: [
    {
      fields: ['workspace_id', 'name'],
      taken: ({ name }) =>
        repositoryAlreadyExists(`a repository named ${name} exists in the workspace`, {
          resource: { type: 'registry.repositories', name },
        }),
    },
  ],
  indexes: [['path'], ['workspace_id', 'path'], ['workspace_id', 'state']],
  indexedMaps: ['labels'],
}
