import { retentionPolicyAlreadyExists, retentionPolicyNotFound } from '../../../output/observability/errors.ts'
import { retentionPoliciesList } from '../../../output/observability/filters.ts'
import type { RetentionPolicy, SignalInput } from '../../../output/observability/types.ts'
import { retentionPolicyFields } from '../../../output/observability/validators.ts'
import type { Collection } from '../../ports/store.ts'
import { defineKind } from '../../resources/kind.ts'

/** The row of a retention policy. `next_purge_time` is stored, so that a missed purge is found. */
export interface StoredRetentionPolicy extends RetentionPolicy {
  readonly signal: SignalInput
  /** The hash of the matchers, which are unique for a signal; that of no matchers for the default of a signal. */
  readonly selector_key: string
}

const type = 'observability.retentionPolicies'

/** The retention policies of all workspaces and engines. */
export const retentionPolicyCollection: Collection<StoredRetentionPolicy> = {
  name: 'observability_retention_policies',
  id: 'id',
  list: retentionPoliciesList,
  listedBelow: 'workspace_id',
  columns: { workspace_id: 'STRING', engine: 'STRING', selector_key: 'STRING', next_purge_time: 'TIMESTAMP' },
  hidden: ['selector_key'],
  uniques: [
    {
      fields: ['workspace_id', 'engine', 'name'],
      taken: ({ name }) =>
        retentionPolicyAlreadyExists(`a retention policy named ${name} exists in the workspace`, {
          resource: { type, name },
        }),
    },
    {
      fields: ['workspace_id', 'engine', 'signal', 'selector_key'],
      taken: ({ name, signal }) =>
        retentionPolicyAlreadyExists(`another retention policy has the selector of ${name} for ${signal}`, {
          resource: { type, name },
        }),
    },
  ],
  indexes: [['next_purge_time']],
}

/** The kind of retention policies. */
export const retentionPolicyKind = defineKind({
  type,
  noun: 'retention policy',
  collection: retentionPolicyCollection,
  fields: retentionPolicyFields,
  notFound: retentionPolicyNotFound,
  isHolding: false,
})

/** The states of a policy. */
export const [activePolicy, disabledPolicy] = [
  'OBSERVABILITY_RETENTION_POLICY_STATE_ACTIVE',
  'OBSERVABILITY_RETENTION_POLICY_STATE_DISABLED',
] as const
