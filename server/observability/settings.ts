import { quotaNames, type QuotaName } from '../../domain/observability/quotas/definitions.ts'
import { isUuid } from '../../runtime/formats.ts'
import type { SettingDeclarations } from '../settings/declarations.ts'
import { mapOf, object } from '../settings/objects.ts'
import { integer } from '../settings/scalars.ts'
import type { Setting } from '../settings/setting.ts'

/** A limit of a quota; -1 is unlimited. */
const limit = integer({ min: -1, max: 999_999_999_999_999 }).optional

/** Returns an object with a member for each quota. */
function limitOfEach(): Readonly<Record<QuotaName, Setting<number, 'optional'>>> {
  const members = Object.fromEntries(quotaNames.map(name => [name, limit]))
  // `quotaNames` has all names of quotas.
  return members as Record<QuotaName, Setting<number, 'optional'>>
}

/** Returns the fault of a name that is no id of a workspace. */
const workspaceFault = (name: string): string | undefined =>
  isUuid(name) ? undefined : 'must be the id of a workspace, a UUID in lower case'

/** The settings of observability. */
export const observabilitySettings = {
  'observability.limits': mapOf(object(limitOfEach()), { nameFault: workspaceFault })
    .default(new Map())
    .describe(
      'quota limits of workspaces that differ from the defaults, an object from workspace ids to objects such as `{"alertRules": 500}`; -1 is unlimited',
    ),
} as const satisfies SettingDeclarations
