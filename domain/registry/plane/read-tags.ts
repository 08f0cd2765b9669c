import type { CallContext } from '../../../runtime/context.ts'
import { tagCollection, tagId } from '../artifacts/tags-store.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { countOf, nextLink, type NamesRequest } from './paging.ts'
import { allowedCall, jsonReply, type PlaneReply } from './plane-call.ts'

/** Answers the names of the tags of a repository in lexical order, in pages (end-8). */
export async function readTags(
  { store }: RegistryEnvironment,
  request: NamesRequest,
  context: CallContext,
): Promise<PlaneReply> {
  const { name, repository } = allowedCall(context)
  const count = countOf(request)
  const tags: string[] = []
  const after = request.last === undefined ? undefined : tagId(repository.id, request.last)
  if (count > 0)
    for await (const { value } of store.each(tagCollection, { repository_id: repository.id }, after)) {
      tags.push(value.name)
      // One name is read ahead, so that the last page has no link.
      if (tags.length > count) break
    }
  const page = tags.slice(0, count)
  const last = page.at(-1)
  const link =
    tags.length > count && last !== undefined ? nextLink(`/v2/${name}/tags/list`, { n: String(count), last }) : {}
  return jsonReply({ name, tags: page }, link)
}
