import type { SortKey } from '../../../runtime/filter/types.ts'
import type { Reader } from '../../ports/store.ts'
import { nextTurn } from '../../resources/next-turn.ts'
import { artifactCollection, type StoredArtifact } from '../artifacts/artifacts-store.ts'
import { tagCollection } from '../artifacts/tags-store.ts'
import type { ArtifactFacts } from '../retention/match-rule.ts'

/** The number of artifacts that one statement reads. */
const pageSize = 100

const byDigest = [
  { field: { name: 'digest', type: 'STRING', operators: [], sortable: true }, descending: false },
  { field: { name: 'row_id', type: 'STRING', operators: [], sortable: true }, descending: false },
] as const

/**
 * Returns the facts of all artifacts of a repository, in the order of their digests; `nowMs` decides about locks. Other
 * work of the process runs between two pages. Throws the reason of an aborted signal.
 */
export async function readFacts(
  reader: Reader,
  repository: string,
  nowMs: number,
  signal: AbortSignal,
): Promise<readonly ArtifactFacts[]> {
  const facts: ArtifactFacts[] = []
  let after: readonly SortKey[] | undefined
  do {
    const query = { size: pageSize, filter: undefined, order: byDigest, after, now: 0 }
    const page = await reader.page(artifactCollection, query, { repository_id: repository })
    for (const { value } of page.items) facts.push(factsOf(value, await namesOf(reader, value, nextTurn), nowMs))
    after = page.next
    await nextTurn()
    signal.throwIfAborted()
  } while (after !== undefined)
  return facts
}

/** Returns the facts of the row of an artifact as a transaction sees it. */
export const presentFacts = async (reader: Reader, artifact: StoredArtifact, nowMs: number): Promise<ArtifactFacts> =>
  factsOf(artifact, await namesOf(reader, artifact), nowMs)

/** Returns the names of all tags; `pause` is called after each page of them. */
async function namesOf(
  reader: Reader,
  { digest, repository_id, tag_count, tags }: StoredArtifact,
  pause?: () => Promise<void>,
): Promise<readonly string[]> {
  const names = tags.map(({ name }) => name)
  // The row has the newest tags only.
  if (tag_count === names.length) return names
  const all: string[] = []
  for await (const { value } of reader.each(tagCollection, { repository_id, digest })) {
    all.push(value.name)
    if (pause && all.length % pageSize === 0) await pause()
  }
  return all
}

function factsOf(artifact: StoredArtifact, tags: readonly string[], nowMs: number): ArtifactFacts {
  const { digest, kind, last_pull_time, locked_until, parents, push_time, subject } = artifact
  const pushedMs = Date.parse(push_time)
  return {
    digest,
    kind,
    tags,
    pushedMs,
    pulledMs: last_pull_time === undefined ? pushedMs : Date.parse(last_pull_time),
    parents,
    subject,
    isLocked: locked_until !== '' && Date.parse(locked_until) > nowMs,
  }
}
