import type { Finding } from '../../ports/inspection.ts'
import type { Reader } from '../../ports/store.ts'
import { grantCollection } from '../grants/grants-store.ts'
import { policyKind } from '../policies/policy-kind.ts'
import { policyCollection } from '../policies/policies-store.ts'
import { repositoryCollection } from '../repositories/repositories-store.ts'

interface OfRepository {
  readonly engine: string
  readonly repository_id: string
}

/** Checks that access policies and pull grants of repositories belong to repositories of their workspace. */
export async function* inspectRules(reader: Reader): AsyncGenerator<Finding, void, undefined> {
  for await (const { id, value } of reader.each(policyCollection)) {
    const message = await repositoryFault(reader, value, value.workspace_id)
    if (message !== undefined) yield { resourceType: policyKind.type, id, message }
  }
  for await (const { id, value } of reader.each(grantCollection)) {
    const message = await repositoryFault(reader, value, value.grantor_workspace_id)
    if (message !== undefined) yield { resourceType: 'registry.pullGrants', id, message }
  }
}

async function repositoryFault(
  reader: Reader,
  { engine, repository_id }: OfRepository,
  workspace: string,
): Promise<string | undefined> {
  if (repository_id === '') return undefined
  const repository = (await reader.get(repositoryCollection, repository_id))?.value
  if (repository?.workspace_id === workspace && repository.engine === engine) return undefined
  return `names repository ${repository_id}, which its workspace does not have`
}
