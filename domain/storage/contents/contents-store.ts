import type { Collection } from '../../ports/store.ts'

/** A file with bytes of a content, by its path below the folder of its instance. */
export interface ContentFile {
  /** For example `objects/0f/<content id>` or `parts/<upload id>/<number>.<id>`; never the name of an object. */
  readonly path: string
  readonly size: number
}

/**
 * The bytes of versions, which never change. Copies on one instance share a content. A content without references is
 * deleted with its files by a worker; until then a reader may still read the open files.
 */
export interface StoredContent {
  readonly id: string
  readonly instance_id: string
  readonly size: number
  /** The number of versions, of copies in progress and of joined contents with the content. */
  readonly references: number
  /** The files, whose bytes follow each other. */
  readonly files: readonly ContentFile[]
  /** The ids of the contents that have the files, of a content that joins others; absent: the content itself has them. */
  readonly joins?: readonly string[]
  /** The time of the last change of `references`. */
  readonly update_time: string
}

/** The contents of all instances. */
export const contentCollection: Collection<StoredContent> = {
  name: 'storage_contents',
  id: 'id',
  columns: { instance_id: 'STRING', references: 'INTEGER', update_time: 'TIMESTAMP' },
  indexes: [['references', 'update_time'], ['instance_id']],
}
