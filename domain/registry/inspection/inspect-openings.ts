import type { Finding } from '../../ports/inspection.ts'
import type { Reader } from '../../ports/store.ts'
import { openingCollection } from '../openings/openings-store.ts'
import { pullersOf } from '../openings/settle-openings.ts'
import { policyKind } from '../policies/policy-kind.ts'
import { policyCollection } from '../policies/policies-store.ts'
import { repositoryCollection } from '../repositories/repositories-store.ts'

/** Checks that the rows of the principals whom access policies let pull follow from the policies. */
export async function* inspectOpenings(reader: Reader): AsyncGenerator<Finding, void, undefined> {
  const found = (id: string, message: string): Finding => ({ resourceType: policyKind.type, id, message })
  for await (const { id, value } of reader.each(policyCollection)) {
    const missing = pullersOf(value)
    const path = (await reader.get(repositoryCollection, value.repository_id))?.value.path ?? ''
    for await (const { value: row } of reader.each(openingCollection, { policy_id: id }))
      if (row.path === path) missing.delete(row.principal)
    for (const principal of missing) yield found(id, `lets ${principal} pull, which is not recorded`)
  }
  for await (const { value } of reader.each(openingCollection)) {
    const { policy_id: id, principal } = value
    const policy = (await reader.get(policyCollection, id))?.value
    if (!policy || !pullersOf(policy).has(principal))
      yield found(id, `does not let ${principal} pull, but is recorded so`)
  }
}
