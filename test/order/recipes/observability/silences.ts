import { withBody } from '../../aim.ts'
import type { AreaRecipes, Fault } from '../../recipe.ts'
import { resourceRecipes, type Resource } from '../../resource-recipes.ts'
import { noRoom } from './limits.ts'

const matchesAll: Fault = {
  reason: 'SILENCE_MATCHES_ALL',
  apply: aim => withBody(aim, { matchers: [{ name: 'host', value: '' }] }),
}

const hasEnded: Fault = {
  reason: 'SILENCE_TIME_INVALID',
  apply: aim => withBody(aim, { end_time: '2020-01-01T00:00:00Z' }),
}

const silence: Resource = {
  noun: 'Silence',
  at: async ({ newPlace }) => ({ workspace: (await newPlace()).workspace }),
  body: () => ({
    matchers: [{ name: 'host', value: 'a' }],
    end_time: new Date(Date.now() + 3_600_000).toISOString(),
    comment: 'maintenance',
  }),
  calls: {
    create: { faults: { rule: matchesAll, reference: hasEnded, quota: noRoom('silences') } },
    delete: {},
  },
}

export const silenceRecipes: AreaRecipes = { operations: resourceRecipes(silence) }
