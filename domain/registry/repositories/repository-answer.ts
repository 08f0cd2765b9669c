import type { Repository } from '../../../output/registry/types.ts'
import type { JsonText } from '../../../runtime/json.ts'
import type { Stored } from '../../ports/store.ts'
import { jsonText, withMembers } from '../../resources/json-text.ts'
import { hostOf, nativeEngine, type EngineHosts } from '../engines/distribution-engines.ts'
import type { StoredRepository } from './repositories-store.ts'

/**
 * Returns the answer of a repository of an engine: its stored text with its address. The platform does not see the pushes
 * to a cluster, so a repository of a cluster has no counts, and the
 * size 0.
 */
export function repositoryAnswer(
  hosts: EngineHosts,
  engine: string,
  path: StoredRepository['path'],
  stored: Pick<Stored<StoredRepository>, 'text' | 'value'>,
): JsonText<Repository> {
  const uri = `${hostOf(hosts, engine)}/${path}`
  // The documents of a long list are not parsed.
  if (engine === nativeEngine) return withMembers(stored.text, { uri })
  const { artifact_count: _artifacts, path: _path, tag_count: _tags, ...shown } = stored.value
  return jsonText({ ...shown, uri })
}
