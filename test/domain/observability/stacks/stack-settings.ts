import { observabilitySettings } from '../../../../server/observability/settings.ts'
import type { SettingValues } from '../../../../server/settings/declarations.ts'
import { GivenSettings } from '../../../../server/settings/values.ts'

type EngineSetting = SettingValues<typeof observabilitySettings>['observability.engines'][number]

/** The members that a test gives a stack. */
export type GivenStack = Pick<EngineSetting, 'name'> & Partial<EngineSetting>

const noMembers = { kind: 'stack', multi_tenant: false } as const

/** Returns settings with some stacks. */
export const withStacks = (...stacks: readonly GivenStack[]): GivenSettings =>
  new GivenSettings().with(
    observabilitySettings['observability.engines'],
    stacks.map(stack => ({ ...noMembers, ...stack })),
  )
