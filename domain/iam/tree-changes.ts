import type { Iam } from '../ports/iam.ts'
import type { Reader } from '../ports/store.ts'
import type { Holding, WorkspaceHooks } from '../ports/taxonomy.ts'
import { bindings } from './collections/bindings-store.ts'
import { grantCreator } from './grants/creator-grants.ts'
import type { IamParts } from './interfaces/iam-parts.ts'
import { policies } from './collections/policies-store.ts'
import { dropBinding, purgeScope, scopePurge } from './scope-purge.ts'

/**
 * What iam does when the tree changes (iam.md 4.10). Bindings go with their scope; what else an organisation or
 * group leaves is purged by work that follows its end, of a workspace the hook does it.
 */
export const treeChanges = (parts: IamParts): Pick<Iam, 'grantCreator' | 'scopeChanged'> => ({
  grantCreator: (tx, principal, scope) => grantCreator(tx, parts, principal, scope),
  async scopeChanged(tx, scope, change) {
    await parts.feed.revise(tx, 'SCOPE', scope.id)
    if (change !== 'DELETED') return
    // Nobody is to see bindings at a scope whose end was answered (taxonomy.md 4); there are at most 1500.
    for await (const stored of tx.each(bindings, { scope_id: scope.id, scope_type: scope.type })) {
      await dropBinding(tx, parts, stored)
    }
    if (scope.type === 'WORKSPACE') return
    await parts.operations.follow(tx, { ...scopePurge(scope), scope })
  },
})

/** What iam holds in workspaces, and how it goes. Bindings and service accounts do not keep one from being deleted. */
export const accessHooks = (parts: IamParts): Pick<WorkspaceHooks, 'area' | 'holdings' | 'purgeWorkspace'> => ({
  area: 'iam',
  holdings: policiesIn,
  purgeWorkspace: id => purgeScope(parts, { type: 'WORKSPACE', id }),
})

const policiesIn = async (reader: Reader, workspace: string): Promise<readonly Holding[]> => [
  { resourceType: 'iam.policies', count: await reader.count(policies, { workspace_id: workspace }) },
]
