import type { ListFields } from '../../../runtime/filter/types.ts'
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

/** The order of the tags of a repository: by name alone. */
export const tagsList: ListFields = {
  fields: [{ name: 'name', type: 'STRING', operators: [], sortable: true }],
  defaultOrder: 'name',
  key: 'name',
}

/** The tags of all repositories. */
export const tagCollection: Collection<StoredTag> = {
  name: 'registry_tags',
  id: 'id',
  list: tagsList,
  listedBelow: 'repository_id',
  columns: { repository_id: 'STRING', digest: 'STRING', push_time: 'TIMESTAMP' },
  indexes: [['repository_id', 'digest']],
}

/** Returns the id of the row of a tag. */
export const tagId = (repository: string, name: string): string => `${repository}/${name}`
