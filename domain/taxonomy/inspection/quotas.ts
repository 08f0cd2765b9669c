import type { Quota } from '../../../output/taxonomy/types.ts'
import type { Finding } from '../../ports/inspection.ts'
import type { Reader } from '../../ports/store.ts'
import { builtInQuotas, fixedMembers, isBuiltIn, type BuiltInQuota } from '../quotas/quotas-built-in.ts'
import { quotas } from '../quotas/quotas-store.ts'
import { finding } from './finding.ts'

const type = 'taxonomy.quotas'

/** Checks that the quotas are the built-in quotas, equal to the catalogue except for their default limits. */
export async function* inspectBuiltInQuotas(reader: Reader): AsyncGenerator<Finding, void, undefined> {
  for (const quota of builtInQuotas) {
    const stored = (await reader.get(quotas, quota.id))?.value
    if (stored !== undefined) yield* inspectQuota(stored, quota)
    // An unreadable document still exists, so it is not reported as missing.
    else if (!(await reader.exists(quotas, { id: quota.id })))
      yield finding(
        type,
        quota.id,
        'is missing; the quota is built in, and the next start of a server creates it again',
      )
  }
  for await (const { id } of reader.each(quotas)) {
    if (!isBuiltIn(id)) yield finding(type, id, 'is not built in; only built-in quotas may exist')
  }
}

function* inspectQuota(stored: Quota, builtIn: BuiltInQuota): Generator<Finding, void, undefined> {
  for (const name of fixedMembers) {
    if (stored[name] === builtIn[name]) continue
    const message = `has the ${name} "${stored[name]}"; it is built in with "${builtIn[name]}", and the next start of a server restores it`
    yield finding(type, stored.id, message)
  }
  const { default_limit, id } = stored
  if (!Number.isSafeInteger(default_limit) || default_limit < -1) {
    yield finding(type, id, `has the default limit ${default_limit}; it must be a whole number from -1`)
  }
}
