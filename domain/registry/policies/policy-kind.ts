import { accessPolicyNotFound } from '../../../output/registry/errors.ts'
import type { AccessPolicy } from '../../../output/registry/types.ts'
import { accessPolicyFields } from '../../../output/registry/validators.ts'
import { defineKind } from '../../resources/kind.ts'
import { repositoryKind } from '../repositories/repository-kind.ts'
import { policyCollection } from './policies-store.ts'

const shared = {
  type: 'registry.accessPolicies',
  noun: 'access policy',
  collection: policyCollection,
  fields: accessPolicyFields,
  notFound: accessPolicyNotFound,
} as const

/** Access policies at the paths of a workspace. The area mounts this kind, which has the rows of both levels. */
export const policyKind = defineKind(shared)

/** Access policies at the paths of a repository. */
export const repositoryPolicyKind = defineKind({
  ...shared,
  parent: { member: 'repository_id', parameter: 'repository', kind: repositoryKind },
})

/** Throws ACCESS_POLICY_NOT_FOUND for a policy of a repository, which no path of a workspace reaches. */
export function requireOfWorkspace({ id, repository_id, workspace_id }: AccessPolicy): void {
  if (repository_id === '') return
  throw accessPolicyNotFound(`workspace ${workspace_id} has no access policy ${id}`, {
    resource: { type: shared.type, name: id },
  })
}
