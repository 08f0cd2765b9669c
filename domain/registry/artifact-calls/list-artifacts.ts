import type { Artifact, ListArtifactsRequest } from '../../../output/registry/types.ts'
import type { ListContext } from '../../../runtime/context.ts'
import type { ListQuery, Page } from '../../../runtime/pagination.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Reader } from '../../ports/store.ts'
import { withDerivedTests, type DerivedTest } from '../../resources/derived-tests.ts'
import { artifactCollection } from '../artifacts/artifacts-store.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { findRepository } from '../repositories/find-repository.ts'
import { listedAnswer, locksOf } from './artifact-answer.ts'
import { tagTermsOf, withAllTags } from './tag-terms.ts'

/** Lists the artifacts of a repository. Throws REPOSITORY_NOT_FOUND. */
export async function listArtifacts(
  { store, taxonomy }: RegistryEnvironment,
  request: ListArtifactsRequest,
  { query }: ListContext,
): Promise<Page<Artifact>> {
  const { id, value: repository } = await findRepository(store, taxonomy, { ...request, engine: 'native' })
  const derived = withDerivedTests(query, { locked: lockedTest(query.now) })
  const read = (reader: Reader, query: ListQuery) =>
    reader.page(artifactCollection, query, { repository_id: id }, { members: ['digest'] })
  const page =
    tagTermsOf(query).length === 0
      ? await read(store, derived)
      : await store.snapshot(async reader => read(reader, await withAllTags(reader, id, derived)))
  const digests = page.items.map(({ members: [digest] }) => digest)
  const locks = await locksOf(store, id, digests, query.now)
  return { ...page, items: page.items.map(item => listedAnswer(item, repository, locks)) }
}

/** Returns the test of `locked` at a time: locks end by the clock. */
const lockedTest =
  (now: number): DerivedTest =>
  value => {
    const field = { name: 'locked_until', type: 'STRING', operators: [] } as const
    const isLocked = { kind: 'compare', field, operator: '>', value: formatMillis(now) } as const
    return value === true ? isLocked : { kind: 'not', term: isLocked }
  }
