import type { Iam } from '../ports/iam.ts'
import type { Reader } from '../ports/store.ts'
import type { Holding, WorkspaceHooks } from '../ports/taxonomy.ts'
import { bindings } from './collections/bindings-store.ts'
import { grantCreator } from './grants/creator-grants.ts'
import type { IamEnvironment } from './interfaces/iam-environment.ts'
import { policies } from './collections/policies-store.ts'
import { dropBinding, purgeScope, scopePurge } from './scope-purge.ts'

/**
 * The hooks of iam for changes of the tree (iam.md 4.10). Bindings are deleted with their scope. Work that follows the
 * end of an organisation or group purges its other rows; for a workspace, the hook purges them.
 */
export const treeChanges = (parts: IamEnvironment): Pick<Iam, 'grantCreator' | 'scopeChanged'> => ({
  grantCreator: (tx, principal, scope) => grantCreator(tx, parts, principal, scope),
  async scopeChanged(tx, scope, change) {
    await parts.feed.revise(tx, 'SCOPE', scope.id)
    if (change !== 'DELETED') return
    // After the end of a scope was answered, no caller may see bindings there (taxonomy.md 4); there are at most 1500.
    for await (const stored of tx.each(bindings, { scope_id: scope.id, scope_type: scope.type })) {
      await dropBinding(tx, parts, stored)
    }
    if (scope.type === 'WORKSPACE') return
    await parts.operations.follow(tx, { ...scopePurge(scope), scope })
  },
})

/** The holdings of iam in workspaces, and their purge. Bindings and service accounts do not prevent a deletion. */
export const accessHooks = (parts: IamEnvironment): Pick<WorkspaceHooks, 'area' | 'holdings' | 'purgeWorkspace'> => ({
  area: 'iam',
  holdings: policiesIn,
  purgeWorkspace: id => purgeScope(parts, { type: 'WORKSPACE', id }),
})

const policiesIn = async (reader: Reader, workspace: string): Promise<readonly Holding[]> => [
  { resourceType: 'iam.policies', count: await reader.count(policies, { workspace_id: workspace }) },
]
