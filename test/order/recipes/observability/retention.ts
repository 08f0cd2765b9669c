import { retentionPolicyCollection } from '../../../../domain/observability/retention/retention-store.ts'
import { withBody } from '../../aim.ts'
import type { AreaRecipes, Fault } from '../../recipe.ts'
import { resourceRecipes, type Resource } from '../../resource-recipes.ts'

const noMatcher: Fault = { reason: 'SELECTOR_EMPTY', apply: aim => withBody(aim, { selector: '{}' }) }

/** Makes the fault that the policy in the path is the default of its signal, and the call disables it. */
const endOfDefault: Fault = {
  reason: 'RETENTION_POLICY_DEFAULT_REQUIRED',
  async apply(aim, { store }) {
    await store.tx(async tx => {
      const stored = await tx.lock(retentionPolicyCollection, aim.path['id'] ?? '')
      if (stored)
        await tx.update(retentionPolicyCollection, stored.id, { ...stored.value, is_default: true }, stored.version)
    })
    return withBody(aim, { state: 'OBSERVABILITY_RETENTION_POLICY_STATE_DISABLED' })
  },
}

const policy: Resource = {
  noun: 'RetentionPolicy',
  area: 'observability',
  body: ({ newName }) => ({
    name: newName(),
    signal: 'OBSERVABILITY_SIGNAL_METRICS',
    selector: '{job="api"}',
    retention: '3600s',
  }),
  calls: {
    create: { faults: { rule: noMatcher } },
    update: { body: { retention: '7200s' }, faults: { state: endOfDefault } },
  },
}

export const retentionRecipes: AreaRecipes = {
  operations: resourceRecipes(policy),
  // A selector whose patterns are too large is a fault of the form.
  reasons: { 'createRetentionPolicy.QUERY_LIMIT_EXCEEDED': 'rule' },
}
