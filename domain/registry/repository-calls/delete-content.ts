import { registry } from '../../../output/registry/errors.ts'
import { engineCapabilityUnsupported } from '../../../output/shared/errors.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { again, done, failed, type Procedure, type StepOutcome } from '../../ports/procedures.ts'
import type { Transaction } from '../../ports/store.ts'
import { forgetRow } from '../../resources/references.ts'
import { emptyRepository } from '../engines/empty-cluster.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { settleReadOnly } from '../quotas/read-only.ts'
import { lockShrinking } from '../repositories/lock-repository.ts'
import { repositoryKind } from '../repositories/repository-kind.ts'
import { repositoryCollection } from '../repositories/repositories-store.ts'
import { dropRules } from './drop-rules.ts'
import { purgeContent } from './purge-content.ts'

/** The kind of the work that deletes a repository with its content. */
export const repositoryDeletion = 'registry.deleteRepository'

type Deleting = Pick<RegistryEnvironment, 'clock' | 'engines'>

/**
 * Returns the work that deletes the content of a repository in batches, and then the repository, without a time limit. If
 * the cluster of the repository does not answer, or deletes nothing, the work fails, and the repository is ACTIVE again.
 */
export const deleteContent = ({ clock, engines }: Deleting): Procedure<{ readonly repository: string }> => ({
  kind: repositoryDeletion,
  deadlineMs: 'none',
  steps: [
    {
      name: 'content',
      async run({ input: { repository }, signal, store, tx }) {
        const stored = await store.get(repositoryCollection, repository)
        const emptied = stored ? await emptyRepository(engines, stored.value, signal) : 'empty'
        if (emptied === 'stopped') return again(0)
        if (emptied === 'refused') return refusal(stored?.value.engine ?? '')
        while (!(await tx(each => purgeContent(each, repository, clock.now())))) if (signal.aborted) return again(0)
        return done(each => deleteRow(each, repository, clock.now()))
      },
    },
  ],
  async failed(tx, { input: { repository } }) {
    const stored = await lockShrinking(tx, repository)
    if (stored?.value.state !== 'REGISTRY_REPOSITORY_STATE_DELETING') return
    const update_time = formatMillis(clock.now())
    const next = { ...stored.value, state: 'REGISTRY_REPOSITORY_STATE_ACTIVE', update_time } as const
    await tx.update(repositoryCollection, repository, next, stored.version)
    await settleReadOnly(tx, next.workspace_id, update_time)
  },
})

const refusal = (engine: string): StepOutcome => {
  const {
    code = 0,
    message,
    reason,
  } = engineCapabilityUnsupported(
    `the cluster of engine ${engine} does not delete the content; its operator must allow deletions in its settings`,
    { capability: 'DELETION' },
  )
  return failed({ code: (registry.base ?? 0) + code, reason, description: message })
}

/** Deletes the row of a repository without content, and all rows that belong to it. */
export async function deleteRow(tx: Transaction, id: string, now: number): Promise<void> {
  const stored = await lockShrinking(tx, id)
  if (!stored) return
  await dropRules(tx, id)
  await forgetRow(tx, { type: repositoryKind.type, id })
  await tx.delete(repositoryCollection, id, stored.version)
  await settleReadOnly(tx, stored.value.workspace_id, formatMillis(now))
}
