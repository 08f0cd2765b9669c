import { again, done, type Procedure } from '../../ports/procedures.ts'
import type { Transaction } from '../../ports/store.ts'
import { forgetRow } from '../../resources/references.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { settleReadOnly } from '../quotas/read-only.ts'
import { repositoryKind } from '../repositories/repository-kind.ts'
import { repositoryCollection } from '../repositories/repositories-store.ts'
import { dropRules } from './drop-rules.ts'
import { purgeContent } from './purge-content.ts'

/** The kind of the work that deletes a repository with its content. */
export const repositoryDeletion = 'registry.deleteRepository'

type Deleting = Pick<RegistryEnvironment, 'clock'>

/** Returns the work that deletes the content of a repository in batches, and then the repository, without a time limit. */
export const deleteContent = ({ clock }: Deleting): Procedure<{ readonly repository: string }> => ({
  kind: repositoryDeletion,
  deadlineMs: 'none',
  steps: [
    {
      name: 'content',
      async run({ input: { repository }, signal, tx }) {
        while (!(await tx(each => purgeContent(each, repository, clock.now())))) if (signal.aborted) return again(0)
        return done(each => deleteRow(each, repository, clock.now()))
      },
    },
  ],
})

/** Deletes the row of a repository without content, and all rows that belong to it. */
export async function deleteRow(tx: Transaction, id: string, now: number): Promise<void> {
  const stored = await tx.lock(repositoryCollection, id)
  if (!stored) return
  await dropRules(tx, id)
  await forgetRow(tx, { type: repositoryKind.type, id })
  await tx.delete(repositoryCollection, id, stored.version)
  await settleReadOnly(tx, stored.value.workspace_id, formatMillis(now))
}
