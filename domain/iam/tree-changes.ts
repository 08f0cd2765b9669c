import type { Iam } from '../ports/iam.ts'
import type { Reader } from '../ports/store.ts'
import type { Holding, WorkspaceHooks } from '../ports/taxonomy.ts'
import { bindings } from './collections/bindings-store.ts'
import { grantCreator } from './grants/creator-grants.ts'
import type { IamEnvironment } from './interfaces/iam-environment.ts'
import { policies } from './collections/policies-store.ts'
import { dropBinding, purgeScope, scopePurge } from './scope-purge.ts'

/**
 * Returns the functions that taxonomy calls for changes of the tree (iam.md 4.10). The bindings at a scope are deleted
 * in the transaction that deletes the scope. Background work purges the other rows of an organisation or group;
 * `purgeWorkspace` purges the rows of a workspace.
 */
export const treeChanges = (parts: IamEnvironment): Pick<Iam, 'grantCreator' | 'scopeChanged'> => ({
  grantCreator: (tx, principal, scope) => grantCreator(tx, parts, principal, scope),
  async scopeChanged(tx, scope, change) {
    await parts.feed.revise(tx, 'SCOPE', scope.id)
    if (change !== 'DELETED') return
    // Once the deletion of a scope is answered, no caller may see bindings there (taxonomy.md 4). A scope has at most
    // 1500 counted bindings.
    for await (const stored of tx.each(bindings, { scope_id: scope.id, scope_type: scope.type })) {
      await dropBinding(tx, parts, stored)
    }
    if (scope.type === 'WORKSPACE') return
    await parts.operations.follow(tx, { ...scopePurge(scope), scope })
  },
})

/**
 * Returns the hooks of iam for workspaces: the holdings and the purge. Only policies are holdings, so bindings and
 * service accounts do not prevent the deletion of a workspace.
 */
export const accessHooks = (parts: IamEnvironment): Pick<WorkspaceHooks, 'area' | 'holdings' | 'purgeWorkspace'> => ({
  area: 'iam',
  holdings: policiesIn,
  purgeWorkspace: id => purgeScope(parts, { type: 'WORKSPACE', id }),
})

const policiesIn = async (reader: Reader, workspace: string): Promise<readonly Holding[]> => [
  { resourceType: 'iam.policies', count: await reader.count(policies, { workspace_id: workspace }) },
]
