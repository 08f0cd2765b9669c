import { absentId } from '../../../areas/members.ts'
import { withBody } from '../../aim.ts'
import type { AreaRecipes, Fault } from '../../recipe.ts'
import { resourceRecipes, type Resource } from '../../resource-recipes.ts'
import { noRoom } from './limits.ts'

const targets = [{ url: 'https://198.51.100.7:9100/metrics' }]

const forbiddenTarget: Fault = {
  reason: 'SCRAPE_TARGET_FORBIDDEN',
  apply: aim => withBody(aim, { prometheus_scrape: { targets: [{ url: 'http://127.0.0.1:9100/metrics' }] } }),
}

const absentSecret: Fault = {
  reason: 'FIELD_INVALID',
  apply: aim => withBody(aim, { prometheus_scrape: { targets, authorization_secret_id: absentId } }),
}

const config: Resource = {
  noun: 'IngestionConfig',
  body: ({ newName }) => ({ name: newName(), prometheus_scrape: { targets } }),
  calls: {
    create: { faults: { rule: forbiddenTarget, reference: absentSecret, quota: noRoom('ingestionConfigs') } },
    update: {
      body: { prometheus_scrape: { targets, scrape_interval: '60s' } },
      faults: { rule: forbiddenTarget, reference: absentSecret },
    },
  },
}

export const ingestionConfigRecipes: AreaRecipes = { operations: resourceRecipes(config) }
