import type { Iam } from '../ports/iam.ts'
import type { Reader } from '../ports/store.ts'
import type { WorkspaceHooks } from '../ports/taxonomy.ts'
import { bindings } from './collections/bindings-store.ts'
import { grantCreator } from './grants/creator-grants.ts'
import type { IamEnvironment } from './interfaces/iam-environment.ts'
import { policies } from './collections/policies-store.ts'
import { serviceAccounts } from './collections/service-accounts-store.ts'
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
 * Returns the hooks of iam for workspaces: the holdings and the purge. Bindings do not prevent the deletion of a
 * workspace.
 */
export const accessHooks = (parts: IamEnvironment): Pick<WorkspaceHooks, 'area' | 'holdings' | 'purgeWorkspace'> => ({
  area: 'iam',
  holdings: async (reader, workspace) => [
    { resourceType: 'iam.policies', count: await reader.count(policies, { workspace_id: workspace }) },
    { resourceType: 'iam.serviceAccounts', count: await accountsInUse(reader, workspace) },
  ],
  purgeWorkspace: id => purgeScope(parts, { type: 'WORKSPACE', id }),
})

/**
 * Returns the number of service accounts of a workspace that an operator created and that have keys, because a program
 * may use each of them. An account without keys is no holding: it cannot sign in, and no command deletes accounts.
 */
async function accountsInUse(reader: Reader, workspace: string): Promise<number> {
  let count = 0
  const made = { workspace_id: workspace, managed_by: 'OPERATOR', status: 'ACTIVE' }
  for await (const { value } of reader.each(serviceAccounts, made)) count += value.keys.length > 0 ? 1 : 0
  return count
}
