import type { Filter } from '../../../runtime/filter/types.ts'
import type { ListQuery } from '../../../runtime/pagination.ts'
import type { Reader } from '../../ports/store.ts'
import { termsOf, withTerms, type FilterTerm } from '../../resources/derived-tests.ts'
import { artifactCollection } from '../artifacts/artifacts-store.ts'
import { shownTags } from '../artifacts/artifact-tags.ts'
import { tagCollection, tagId } from '../artifacts/tags-store.ts'

type TagTerm = Exclude<FilterTerm, { readonly kind: 'present' }>

/** Returns the terms of a query that compare the names of tags. */
export function tagTermsOf({ filter }: ListQuery): readonly TagTerm[] {
  const terms = filter === undefined ? [] : [...termsOf(filter)]
  return terms.flatMap(term => (term.field.name === 'tags' && term.kind !== 'present' ? term : []))
}

/**
 * Returns a query for artifacts of a repository whose terms compare all tags: the row of an artifact has only its
 * newest tags. Read the page by the same reader, on a snapshot, so that the tags are those of the page.
 */
export async function withAllTags(reader: Reader, repository: string, query: ListQuery): Promise<ListQuery> {
  const tests = new Map<FilterTerm, Filter>()
  for (const term of tagTermsOf(query)) tests.set(term, await testOf(reader, repository, term))
  return withTerms(query, term => tests.get(term) ?? term)
}

async function testOf(reader: Reader, repository: string, term: TagTerm): Promise<Filter> {
  if (term.kind === 'compare') {
    const tag = await reader.get(tagCollection, tagId(repository, String(term.value)))
    return anyOf(tag === undefined ? [] : [hasDigest(tag.value.digest)])
  }
  const found: Filter[] = [term]
  const field = { name: 'name', type: 'STRING', operators: [] } as const
  const query = { size: 1, filter: { ...term, field }, order: [byDigest], after: undefined, now: 0 }
  for await (const digest of digestsWithMore(reader, repository)) {
    const { items } = await reader.page(tagCollection, query, { repository_id: repository, digest })
    if (items.length > 0) found.push(hasDigest(digest))
  }
  return anyOf(found)
}

const digestField = { name: 'digest', type: 'STRING', operators: [], sortable: true } as const
const byDigest = { field: digestField, descending: false } as const

const hasDigest = (value: string): Filter => ({ kind: 'compare', field: digestField, operator: '=', value })

/** The number of filters that stand side by side in one OR: engines limit how deep a statement is. */
const widest = 100

function anyOf(terms: readonly Filter[]): Filter {
  if (terms.length <= widest) return { kind: 'or', terms }
  const groups: Filter[] = []
  for (let i = 0; i < terms.length; i += widest) groups.push({ kind: 'or', terms: terms.slice(i, i + widest) })
  return anyOf(groups)
}

/** Iterates over the digests of the artifacts whose rows do not have all their tags. */
async function* digestsWithMore(reader: Reader, repository: string): AsyncGenerator<string, void, undefined> {
  const field = { name: 'tag_count', type: 'INTEGER', operators: [] } as const
  const filter = { kind: 'compare', field, operator: '>', value: BigInt(shownTags) } as const
  let after: ListQuery['after']
  do {
    const query: ListQuery = { size: 100, filter, order: [byDigest], after, now: 0 }
    const page = await reader.page(artifactCollection, query, { repository_id: repository }, { members: ['digest'] })
    for (const { members } of page.items) yield members[0]
    after = page.next
  } while (after !== undefined)
}
