import type { Iam } from '../ports/iam.ts'
import type { Reader } from '../ports/store.ts'
import type { Holding, WorkspaceHooks } from '../ports/taxonomy.ts'
import { bindings } from './collections/bindings-store.ts'
import { grantCreator } from './grants/creator-grants.ts'
import type { IamEnvironment } from './interfaces/iam-environment.ts'
import { policies } from './collections/policies-store.ts'
import { dropBinding, purgeScope, scopePurge } from './scope-purge.ts'

/**
 * The hooks of iam for changes of the tree (iam.md 4.10). The bindings at a scope are deleted in the transaction that
 * deletes the scope. The other rows of an organisation or group are purged by background work; those of a workspace by
 * `purgeWorkspace`.
 */
export const treeChanges = (parts: IamEnvironment): Pick<Iam, 'grantCreator' | 'scopeChanged'> => ({
  grantCreator: (tx, principal, scope) => grantCreator(tx, parts, principal, scope),
  async scopeChanged(tx, scope, change) {
    await parts.feed.revise(tx, 'SCOPE', scope.id)
    if (change !== 'DELETED') return
    // Once the deletion of a scope is answered, no caller may see bindings there (taxonomy.md 4). A scope has at most
    // 1500.
    for await (const stored of tx.each(bindings, { scope_id: scope.id, scope_type: scope.type })) {
      await dropBinding(tx, parts, stored)
    }
    if (scope.type === 'WORKSPACE') return
    await parts.operations.follow(tx, { ...scopePurge(scope), scope })
  },
})

/**
 * The resources of iam in a workspace, and the purge of a workspace. Only policies prevent the deletion of a workspace;
 * bindings and service accounts do not.
 */
export const accessHooks = (parts: IamEnvironment): Pick<WorkspaceHooks, 'area' | 'holdings' | 'purgeWorkspace'> => ({
  area: 'iam',
  holdings: policiesIn,
  purgeWorkspace: id => purgeScope(parts, { type: 'WORKSPACE', id }),
})

const policiesIn = async (reader: Reader, workspace: string): Promise<readonly Holding[]> => [
  { resourceType: 'iam.policies', count: await reader.count(policies, { workspace_id: workspace }) },
]
