import type { Collection } from '../../ports/store.ts'

/** The row of a tag. */
export interface StoredTag {
  /** The id of the repository, a slash and the name; so the ids of a repository sort by the names. */
  readonly id: string
  readonly repository_id: string
  readonly name: string
  readonly digest: string
  readonly push_time: string
}

/** The tags of all repositories. */
export const tagCollection: Collection<StoredTag> = {
  name: 'registry_tags',
  id: 'id',
  columns: { repository_id: 'STRING', name: 'STRING', digest: 'STRING', push_time: 'TIMESTAMP' },
  indexes: [['repository_id'], ['repository_id', 'digest', 'push_time']],
}

/** Returns the id of the row of a tag. */
export const tagId = (repository: string, name: string): string => `${repository}/${name}`
