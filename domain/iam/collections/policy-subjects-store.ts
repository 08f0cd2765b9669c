import type { Policy } from '../../../output/iam/types.ts'
import type { Collection, Transaction } from '../../ports/store.ts'

/**
 * A principal or role that a policy names by id. These rows make the policies about a principal or a role searchable.
 */
export interface PolicySubject {
  /** The id in the form `<policy>/<subject>`. */
  readonly id: string
  readonly policy_id: string
  readonly workspace_id: string
  /** The subject in the form of statements: `principal:<id>` or `role:<id>`. */
  readonly subject: string
  /** Whether an ALLOW statement names the subject. Otherwise a DENY statement or an exception does. */
  readonly is_allowed: boolean
}

export const policySubjects: Collection<PolicySubject> = {
  name: 'iam_policy_subjects',
  id: 'id',
  columns: { policy_id: 'STRING', workspace_id: 'STRING', subject: 'STRING', is_allowed: 'BOOLEAN' },
  indexes: [['policy_id'], ['subject', 'is_allowed', 'workspace_id']],
}

/** Replaces the rows of the subjects of a policy. A policy without statements loses all of its rows. */
export async function writeSubjects(tx: Transaction, policy: Pick<Policy, 'id' | 'workspace_id' | 'statements'>) {
  const named = subjectsOf(policy)
  for await (const stored of tx.each(policySubjects, { policy_id: policy.id })) {
    const next = named.get(stored.id)
    named.delete(stored.id)
    if (next === undefined) await tx.delete(policySubjects, stored.id, stored.version)
    else if (next.is_allowed !== stored.value.is_allowed) {
      await tx.update(policySubjects, stored.id, next, stored.version)
    }
  }
  await tx.insertAll(policySubjects, [...named.values()])
}

function subjectsOf({
  id: policy_id,
  statements,
  workspace_id,
}: Parameters<typeof writeSubjects>[1]): Map<string, PolicySubject> {
  const named = new Map<string, PolicySubject>()
  for (const { effect, except_principals, principals } of statements) {
    for (const subject of [...principals, ...except_principals]) {
      if (!/^(?:principal|role):/.test(subject)) continue
      const id = `${policy_id}/${subject}`
      const isAllowed = effect === 'ALLOW' && principals.includes(subject)
      const is_allowed = isAllowed || (named.get(id)?.is_allowed ?? false)
      named.set(id, { id, policy_id, workspace_id, subject, is_allowed })
    }
  }
  return named
}
