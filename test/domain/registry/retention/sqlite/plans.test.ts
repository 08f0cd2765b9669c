import { expect, it } from 'vitest'
import type { Collection, Reader } from '../../../../../domain/ports/store.ts'
import { artifactCollection } from '../../../../../domain/registry/artifacts/artifacts-store.ts'
import { referenceCollection } from '../../../../../domain/registry/artifacts/references-store.ts'
import { repositoryCollection } from '../../../../../domain/registry/repositories/repositories-store.ts'
import { retentionCollection } from '../../../../../domain/registry/retention/retention-store.ts'
import { readFacts } from '../../../../../domain/registry/retention-work/read-facts.ts'
import { dueAt } from '../../../../../domain/registry/retention-work/retention-worker.ts'
import { sqliteDialect } from '../../../../../server/store/sqlite/dialect.ts'
import { explain } from '../../../../server/store/sqlite/explain.ts'
import { statementsOf } from '../../../../server/store/statements.ts'

interface RetentionRead {
  readonly name: string
  readonly collection: Collection<never>
  readonly read: (reader: Reader) => Promise<unknown>
  /** The columns by which the statements search an index. */
  readonly by: readonly string[]
}

const repository_id = '0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b'
const digest = `sha256:${'a'.repeat(64)}`

async function drained(rows: AsyncGenerator<unknown>): Promise<void> {
  for await (const _row of rows);
}

const reads: readonly RetentionRead[] = [
  {
    name: 'the artifacts of a repository',
    collection: artifactCollection,
    read: reader => readFacts(reader, repository_id, 0, new AbortController().signal),
    by: ['repository_id'],
  },
  {
    name: 'the policies whose time has come',
    collection: retentionCollection,
    read: reader => dueAt(reader, Date.parse('2030-01-01T00:00:00Z')),
    by: ['next_run_time'],
  },
  {
    name: 'what a manifest names',
    collection: referenceCollection,
    read: reader => drained(reader.each(referenceCollection, { repository_id, digest })),
    by: ['repository_id', 'digest', '_key'],
  },
  {
    name: 'the manifests that name a blob',
    collection: referenceCollection,
    read: reader => reader.count(referenceCollection, { repository_id, kind: 'BLOB', target: digest }),
    by: ['repository_id', 'kind', 'target'],
  },
  {
    name: 'whether a workspace is READ_ONLY',
    collection: repositoryCollection,
    read: reader =>
      reader.exists(repositoryCollection, {
        workspace_id: repository_id,
        state: 'REGISTRY_REPOSITORY_STATE_READ_ONLY',
      }),
    by: ['workspace_id', 'state'],
  },
]

it.each(reads)('retention finds $name by an index, without a sort', async ({ by, collection, read }) => {
  const statements = await statementsOf(collection, sqliteDialect, read)
  const steps = (await explain(collection, () => statements)).flat().map(({ detail }) => detail)
  expect(steps.join('; ')).not.toMatch(/SCAN|TEMP B-TREE FOR ORDER BY/)
  const [terms = ''] = steps.flatMap(step => /^SEARCH .*\((.*)\)/.exec(step)?.[1] ?? [])
  expect(terms.split(' AND ').map(term => term.replace(/[<>=]\??.*/, ''))).toEqual(by)
})
