import { isUuid } from '../../../runtime/formats.ts'
import type { Reader, Stored } from '../../ports/store.ts'
import type { Taxonomy } from '../../ports/taxonomy.ts'
import type { Place } from '../../resources/kind.ts'
import { requireFound } from '../../resources/find-rows.ts'
import { repositoryKind } from './repository-kind.ts'
import { repositoryCollection, type StoredRepository } from './repositories-store.ts'

/** A repository that the path of a call of the JSON API names. */
export interface RepositoryPath extends Place {
  readonly workspace: string
  readonly repository: string
}

/** Returns the repository of a path. Throws WORKSPACE_NOT_FOUND and REPOSITORY_NOT_FOUND. */
export async function findRepository(
  reader: Reader,
  tree: Pick<Taxonomy, 'chain'>,
  path: RepositoryPath,
): Promise<Stored<StoredRepository>> {
  const stored = await reader.get(repositoryCollection, path.repository)
  return requireFound(reader, tree, repositoryKind, { ...path, id: path.repository }, stored)
}

/** The workspace that an image reference names, and its repository unless there is none. */
export interface NamedRepository {
  /** The id of the workspace; undefined if no such workspace exists. */
  readonly workspace: string | undefined
  readonly repository: Stored<StoredRepository> | undefined
}

/**
 * Returns the repository of an engine with a name under `/v2/`: `<organisation>/<workspace>/<repository>` by names, or
 * `<id of the workspace>/<repository>`. A name of a workspace begins with a letter and its id with a digit, so both forms
 * differ. A repository that is being deleted counts as absent.
 */
export async function findRepositoryByName(
  reader: Reader,
  tree: Pick<Taxonomy, 'chain' | 'workspaceNamed'>,
  engine: string,
  name: string,
): Promise<NamedRepository> {
  const [first = '', second = '', ...rest] = name.split('/')
  const isById = isUuid(first)
  const workspace = isById ? await existing(reader, tree, first) : await tree.workspaceNamed(reader, first, second)
  if (workspace === undefined) return { workspace, repository: undefined }
  const own = (isById ? [second, ...rest] : rest).join('/')
  const repository = await reader.find(repositoryCollection, { workspace_id: workspace, name: own })
  const isPresent =
    repository?.value.engine === engine && repository.value.state !== 'REGISTRY_REPOSITORY_STATE_DELETING'
  return { workspace, repository: isPresent ? repository : undefined }
}

const existing = async (reader: Reader, tree: Pick<Taxonomy, 'chain'>, id: string): Promise<string | undefined> =>
  (await tree.chain(reader, { type: 'WORKSPACE', id })) ? id : undefined
