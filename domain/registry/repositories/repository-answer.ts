import type { Repository } from '../../../output/registry/types.ts'
import type { JsonText } from '../../../runtime/json.ts'
import { withMembers } from '../../resources/json-text.ts'
import type { StoredRepository } from './repositories-store.ts'

/** Returns the answer of a repository: its stored text with its address at `host`. */
export const repositoryAnswer = (
  host: string,
  text: JsonText<StoredRepository>,
  path: StoredRepository['path'],
): JsonText<Repository> => withMembers(text, { uri: `${host}/${path}` })
