import type { CallContext } from '../../../runtime/context.ts'
import type { SortField } from '../../../runtime/filter/types.ts'
import type { ListQuery } from '../../../runtime/pagination.ts'
import type { Derived, Store } from '../../ports/store.ts'
import { permissionOf } from '../access/decide.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { grantCollection } from '../grants/grants-store.ts'
import { openingCollection } from '../openings/openings-store.ts'
import { repositoryCollection, type StoredRepository } from '../repositories/repositories-store.ts'

/** A repository that a caller can possibly pull: by a permission, by a grant or by an ALLOW rule. */
export interface Candidate {
  readonly id: string
  readonly path: string
  /** The row of the repository, if it has been read. */
  readonly row?: StoredRepository
}

/** The candidates that follow a path, in the order of their paths. */
export interface Candidates {
  readonly found: readonly Candidate[]
  /** The path up to which `found` is complete; undefined if no further candidates follow. */
  readonly end: string | undefined
}

/** Reads the candidates after a path; empty for the first ones. */
export type ReadCandidates = (after: string) => Promise<Candidates>

/** The number of rows that each source reads at a time. */
const size = 100

const byPath: SortField = { field: { name: 'path', type: 'STRING', operators: [], sortable: true }, descending: false }

/**
 * Returns the reader of the repositories that a caller can possibly pull. It looks at the workspaces, grants and rules
 * that are open to the caller, and not at the repositories of all others.
 */
export async function pullCandidates(
  environment: Pick<RegistryEnvironment, 'access' | 'store'>,
  context: CallContext,
): Promise<ReadCandidates> {
  const sources = await sourcesFor(environment, context)
  return async after => {
    const pages: Candidates[] = []
    for (const read of sources) pages.push(await read(after))
    return merged(pages)
  }
}

/** Joins pages that follow the same path; candidates beyond the end of one of the pages are left to the next read. */
function merged(pages: readonly Candidates[]): Candidates {
  const [end] = pages.flatMap(page => page.end ?? []).toSorted()
  const byPaths = new Map<string, Candidate>()
  for (const candidate of pages.flatMap(({ found }) => found))
    if (end === undefined || candidate.path <= end) byPaths.set(candidate.path, candidate)
  return { found: [...byPaths.values()].toSorted((one, other) => (one.path < other.path ? -1 : 1)), end }
}

async function sourcesFor(
  { access, store }: Pick<RegistryEnvironment, 'access' | 'store'>,
  context: CallContext,
): Promise<readonly ReadCandidates[]> {
  const { now, principal } = context
  if (principal === undefined) return [openedTo(store, now, 'ALL_USERS')]
  const seen = await access.visible(context, permissionOf.PULL, { isOwn: true })
  // All others are few for a caller who may pull nearly everywhere.
  if (seen === 'everything' || 'allBut' in seen) return [repositoriesOf(store, now)]
  const words = [principal.id, 'ALL_AUTHENTICATED']
  const workspaces = new Set(seen.scopes)
  const repositories = new Set<string>()
  for await (const { value } of store.each(grantCollection, { grantee_workspace_id: [...seen.scopes] })) {
    if (value.repository_id === '') workspaces.add(value.grantor_workspace_id)
    else repositories.add(value.repository_id)
  }
  for await (const { value } of store.each(openingCollection, { principal: words, repository_id: '' }))
    workspaces.add(value.workspace_id)
  return [
    repositoriesOf(store, now, tableOf('workspace_id', workspaces)),
    repositoriesOf(store, now, tableOf('id', repositories)),
    ...[...words, 'ALL_USERS'].map(word => openedTo(store, now, word)),
  ]
}

const tableOf = (column: 'workspace_id' | 'id', values: ReadonlySet<string>): Derived => ({
  from: [column],
  fields: [],
  rows: [...values].map(value => ({ from: [value], values: [] })),
})

const repositoriesOf =
  (store: Store, now: number, derived?: Derived): ReadCandidates =>
  async after => {
    if (derived?.rows.length === 0) return { found: [], end: undefined }
    const page = await store.page(repositoryCollection, queryAfter(after, now), {}, { derived })
    const found = page.items.map(({ value }) => ({ id: value.id, path: value.path, row: value }))
    return { found, end: page.next && found.at(-1)?.path }
  }

/** Reads the repositories that policies of repositories open to a principal or to a group of principals. */
const openedTo =
  (store: Store, now: number, principal: string): ReadCandidates =>
  async after => {
    const where = { principal, repository_id: { noneOf: [''] } }
    const page = await store.page(openingCollection, queryAfter(after, now), where)
    const found = page.items.map(({ value: { path, repository_id } }) => ({ id: repository_id, path }))
    return { found, end: page.next && found.at(-1)?.path }
  }

const queryAfter = (after: string, now: number): ListQuery => ({
  size,
  filter: undefined,
  order: [byPath],
  after: after === '' ? undefined : [after],
  now,
})
