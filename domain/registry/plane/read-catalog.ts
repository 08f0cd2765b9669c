import type { CallContext } from '../../../runtime/context.ts'
import { seenBy } from '../../ports/access.ts'
import { decide } from '../access/decide.ts'
import { nativeEngine } from '../engines/distribution-engines.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { findRepositoryByName } from '../repositories/find-repository.ts'
import { repositoryCollection } from '../repositories/repositories-store.ts'
import { countOf, nextLink, type NamesRequest } from './paging.ts'
import { callerContext, jsonReply, type PlaneReply } from './plane-call.ts'

/** Answers the names of the repositories in the caller's workspaces that the caller may pull, the oldest first. */
export async function readCatalog(
  environment: RegistryEnvironment,
  request: NamesRequest,
  given: CallContext,
): Promise<PlaneReply> {
  const { access, store, taxonomy } = environment
  const context = callerContext(given)
  const count = countOf(request)
  const repositories: string[] = []
  if (context.principal !== undefined && count > 0) {
    const seen = await access.visible(context, 'registry.artifacts.pull', { isOwn: true })
    const where = { ...seenBy(seen, 'workspace_id'), engine: nativeEngine }
    const { last } = request
    const before =
      last === undefined ? undefined : (await findRepositoryByName(store, taxonomy, nativeEngine, last)).repository
    for await (const { value } of store.each(repositoryCollection, where, before?.id)) {
      if (value.state === 'REGISTRY_REPOSITORY_STATE_DELETING') continue
      if (await decide(environment, store, { context, place: value, action: 'PULL' })) repositories.push(value.path)
      if (repositories.length > count) break
    }
  }
  const page = repositories.slice(0, count)
  const last = page.at(-1)
  const link =
    repositories.length > count && last !== undefined ? nextLink('/v2/_catalog', { n: String(count), last }) : {}
  return jsonReply({ repositories: page }, link)
}
