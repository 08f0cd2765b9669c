import { createHash } from 'node:crypto'
import { quotaLimitNotFound } from '../../../output/observability/errors.ts'
import { quotaLimitsList } from '../../../output/observability/filters.ts'
import type { QuotaLimit } from '../../../output/observability/types.ts'
import type { Collection } from '../../ports/store.ts'
import { defineKind, workspaceScope } from '../../resources/kind.ts'

/** The row of the limit of one workspace for one definition; its usage is counted at each read. */
export interface StoredLimit extends Omit<QuotaLimit, 'usage'> {
  /** Whether the limit is the default of its definition, or stands in the setting `observability.limits`. */
  readonly source: 'DEFAULT' | 'SETTING'
}

/** The limits of all workspaces. */
export const limitCollection: Collection<StoredLimit> = {
  name: 'observability_quota_limits',
  id: 'id',
  list: quotaLimitsList,
  columns: { source: 'STRING' },
  hidden: ['source'],
  indexes: [['scope_id'], ['source']],
}

/** The kind of the limits, which the platform makes with each workspace. */
export const quotaLimitKind = defineKind({
  type: 'observability.quotaLimits',
  noun: 'quota limit',
  collection: limitCollection,
  notFound: quotaLimitNotFound,
  isHolding: false,
  scopeOf: ({ scope_id }) => workspaceScope(scope_id),
})

/** Returns the id of a limit: the UUIDv5 of the id of its definition in the namespace of its workspace (RFC 9562 §5.5). */
export function limitId(definition: string, workspace: string): string {
  const namespace = Buffer.from(workspace.replaceAll('-', ''), 'hex')
  const bytes = createHash('sha1').update(namespace).update(definition).digest()
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
