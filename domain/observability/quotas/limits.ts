import { observability } from '../../../output/observability/errors.ts'
import type { Reader, Stored, Transaction } from '../../ports/store.ts'
import { workspaceScope } from '../../resources/kind.ts'
import type { QuotaScope } from '../../resources/quotas/definitions.ts'
import { exceeded } from '../../resources/quotas/exceeded.ts'
import { countOf, type CountedQuota } from './counts.ts'
import { defaultLimit, definitionId, quotaNames, type QuotaName } from './definitions.ts'
import { limitCollection, limitId, type StoredLimit } from './limits-store.ts'

/** The limits of workspaces in the setting `observability.limits`, keyed by the id of the workspace; -1 is unlimited. */
export type LimitSettings = ReadonlyMap<string, Readonly<Partial<Record<QuotaName, number>>>>

type Effective = Pick<StoredLimit, 'limit' | 'source'>

function effective(settings: LimitSettings, workspace: string, name: QuotaName): Effective {
  const limit = settings.get(workspace)?.[name]
  return limit === undefined ? { limit: defaultLimit(name), source: 'DEFAULT' } : { limit, source: 'SETTING' }
}

/** Returns the limit of a workspace from the settings of the server, without a read of the store; -1 is unlimited. */
export const effectiveLimit = (settings: LimitSettings, workspace: string, name: QuotaName): number =>
  effective(settings, workspace, name).limit

/** Inserts the limits that a workspace lacks. */
export async function makeLimits(tx: Transaction, settings: LimitSettings, workspace: string): Promise<void> {
  for (const name of quotaNames) {
    const quota_definition_id = definitionId(name)
    const id = limitId(quota_definition_id, workspace)
    if (await tx.get(limitCollection, id)) continue
    await tx.insert(limitCollection, {
      id,
      quota_definition_id,
      scope_type: 'OBSERVABILITY_SCOPE_TYPE_WORKSPACE',
      scope_id: workspace,
      ...effective(settings, workspace, name),
    })
  }
}

/** Gives the limits of all workspaces the values of the setting, and the limits that left the setting their defaults. */
export async function refreshLimits(tx: Transaction, settings: LimitSettings): Promise<void> {
  const ids: string[] = []
  for await (const { id } of tx.each(limitCollection, { source: 'SETTING' })) ids.push(id)
  for (const [workspace, limits] of settings)
    for (const name of quotaNames) if (limits[name] !== undefined) ids.push(limitId(definitionId(name), workspace))
  for (const id of new Set(ids)) await refreshLimit(tx, settings, id)
}

async function refreshLimit(tx: Transaction, settings: LimitSettings, id: string): Promise<void> {
  const stored = await tx.get(limitCollection, id)
  if (!stored) return
  const { limit, quota_definition_id, scope_id, source } = stored.value
  const name = quotaNames.find(each => definitionId(each) === quota_definition_id)
  if (name === undefined) return
  const next = effective(settings, scope_id, name)
  if (next.limit === limit && next.source === source) return
  const locked = await tx.lock(limitCollection, id)
  if (locked) await tx.update(limitCollection, id, { ...locked.value, ...next }, locked.version)
}

/** Returns the limit of a workspace, without a lock; -1 if there is none. */
export async function limitOf(reader: Reader, name: QuotaName, workspace: string): Promise<number> {
  const stored = await reader.get(limitCollection, limitId(definitionId(name), workspace))
  return stored?.value.limit ?? defaultLimit(name)
}

/** Returns QUOTA_EXCEEDED for a workspace that uses `usage` and wants `n` more. */
export const limitExceeded = (
  name: QuotaName,
  workspace: string,
  use: { readonly limit: number; readonly usage: number; readonly n: number },
) => exceeded(observability, definitionId(name), { scope: scopeOf(workspace), dimensions: {}, ...use })

/**
 * Checks that a workspace has room for one more row, which the transaction has already written; `now` is the time of the
 * call in milliseconds since 1970. Throws QUOTA_EXCEEDED if there is no room. Locks the row of the limit, so that
 * concurrent transactions count one after the other; call the function after all other locks. A deletion needs no call,
 * because usage is counted from the rows.
 */
export async function consumeLimit(
  tx: Transaction,
  settings: LimitSettings,
  name: CountedQuota,
  { now, workspace }: { readonly workspace: string; readonly now: number },
): Promise<void> {
  const { limit } = (await lockLimit(tx, settings, name, workspace)).value
  if (limit < 0) return
  const usage = (await countOf(tx, name, workspace, now)) - 1
  if (usage >= limit) throw limitExceeded(name, workspace, { limit, usage, n: 1 })
}

/** Locks a limit. A workspace that is older than the limits gets all of them at the first use of one. */
async function lockLimit(
  tx: Transaction,
  settings: LimitSettings,
  name: QuotaName,
  workspace: string,
): Promise<Stored<StoredLimit>> {
  const id = limitId(definitionId(name), workspace)
  const known = await tx.lock(limitCollection, id)
  if (known) return known
  await makeLimits(tx, settings, workspace)
  const made = await tx.lock(limitCollection, id)
  if (made) return made
  throw new Error(`workspace ${workspace} has no limit of ${name} after its limits were made`)
}

/** Deletes the limits of a purged workspace. */
export async function purgeLimits(tx: Transaction, workspace: string): Promise<void> {
  for await (const { id, version } of tx.each(limitCollection, { scope_id: workspace }))
    await tx.delete(limitCollection, id, version)
}

const scopeOf = (workspace: string): QuotaScope => ({ ...workspaceScope(workspace), type: 'WORKSPACE' })
