import type { CallContext } from '../../../runtime/context.ts'
import { checkOrder } from '../../../runtime/ordering.ts'
import { tagCollection, tagsList } from '../artifacts/tags-store.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { countOf, nextLink, type NamesRequest } from './paging.ts'
import { allowedCall, jsonReply, type PlaneReply } from './plane-call.ts'

/** Answers the names of the tags of a repository in lexical order, in pages (end-8). */
export async function readTags(
  { store }: Pick<RegistryEnvironment, 'store'>,
  request: NamesRequest,
  context: CallContext,
): Promise<PlaneReply> {
  const { name, repository } = allowedCall(context)
  const size = countOf(request)
  if (size === 0) return jsonReply({ name, tags: [] })
  const { now } = context
  const after = request.last === undefined ? undefined : [request.last]
  const query = { size, filter: undefined, order: checkOrder('', tagsList), after, now }
  const where = { repository_id: repository.id }
  const { items, next } = await store.page(tagCollection, query, where, { members: ['name'] })
  const tags = items.map(({ members: [tag] }) => tag)
  const last = tags.at(-1)
  const isMore = next !== undefined && last !== undefined
  return jsonReply({ name, tags }, isMore ? nextLink(`/v2/${name}/tags/list`, { n: String(size), last }) : {})
}
