import type { CallContext } from '../../../runtime/context.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { repositoryCollection } from '../repositories/repositories-store.ts'
import { mayPull, type PullParts } from './may-pull.ts'
import { countOf, nextLink, type NamesRequest } from './paging.ts'
import { callerContext, jsonReply, type PlaneReply } from './plane-call.ts'
import { pullCandidates } from './pull-candidates.ts'

/** Returns the largest number of repositories at which an answer looks: the caller may be denied many of them. */
const mostExamined = (names: number): number => 100 + 2 * names

/** The query of a page of the catalogue. */
export interface CatalogRequest extends NamesRequest {
  /**
   * The id of the last repository that the answer before looked at; only in links of answers that ended at
   * `mostExamined`, where the name of a repository would tell callers of repositories that they may not pull.
   */
  readonly after?: string
}

/** The parts that the catalogue needs. */
type CatalogParts = PullParts & Pick<RegistryEnvironment, 'access'>

/** Answers the names of the repositories that the caller may pull, in the order of the names. */
export async function readCatalog(
  environment: CatalogParts,
  request: CatalogRequest,
  given: CallContext,
): Promise<PlaneReply> {
  const count = countOf(request)
  if (count === 0) return jsonReply({ repositories: [] })
  const start = await startOf(environment, request)
  const { examined, names } = await pullable(environment, callerContext(given), start, count + 1)
  const repositories = names.slice(0, count)
  const last = repositories.at(-1) ?? request.last
  const query = { n: String(count), ...(last !== undefined && { last }) }
  const next = names.length > count ? query : examined === undefined ? undefined : { ...query, after: examined }
  return jsonReply({ repositories }, next && nextLink('/v2/_catalog', next))
}

/** Returns the path after which an answer begins. A repository of `after` that was deleted since counts as absent. */
async function startOf(
  { store }: Pick<RegistryEnvironment, 'store'>,
  { after, last = '' }: CatalogRequest,
): Promise<string> {
  const stored = after === undefined ? undefined : await store.get(repositoryCollection, after)
  return stored?.value.path ?? last
}

interface Pullable {
  readonly names: readonly string[]
  /** The id of the repository at which the search ended before it had found all; undefined otherwise. */
  readonly examined: string | undefined
}

/** Returns the first `most` repositories after a path that a caller may pull. */
async function pullable(
  environment: CatalogParts,
  context: CallContext,
  start: string,
  most: number,
): Promise<Pullable> {
  const { store } = environment
  const read = await pullCandidates(environment, context)
  const names: string[] = []
  let left = mostExamined(most)
  for (let after: string | undefined = start; after !== undefined;) {
    const { end, found } = await read(after)
    for (const { id, path, row } of found) {
      const repository = row ?? (await store.get(repositoryCollection, id))?.value
      if (repository && (await mayPull(environment, context, repository))) names.push(path)
      if (names.length === most) return { names, examined: undefined }
      left -= 1
      if (left === 0) return { names, examined: id }
    }
    after = end
  }
  return { names, examined: undefined }
}
