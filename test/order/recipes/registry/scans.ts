import { withBody, type Aim } from '../../aim.ts'
import type { AreaRecipes, Fault } from '../../recipe.ts'
import { resourceRecipes, type Resource } from '../../resource-recipes.ts'
import { newPath, noReference } from './artifacts.ts'
import { deleting } from './rows.ts'

const wrongCron: Fault = { reason: 'CRON_INVALID', apply: aim => withBody(aim, { schedule: '@daily' }) }

const absentScanner: Fault = {
  reason: 'SCANNER_UNKNOWN',
  apply: aim => withBody(aim, { scanner: 'nobody' }),
}

const policy: Resource = {
  noun: 'ScanPolicy',
  body: ({ newName }) => ({ name: newName() }),
  calls: {
    create: { faults: { rule: wrongCron, reference: absentScanner } },
    update: { body: { priority: 7 }, faults: { rule: wrongCron, reference: absentScanner } },
    delete: {},
  },
}

const noRoom: Fault = {
  reason: 'QUOTA_EXCEEDED',
  async apply(aim: Aim, { run }) {
    const { workspace = '' } = aim.path
    const body = { quota_definition_id: 'registry.scansPerDay', limit: 0 }
    await run('registry.createQuotaLimit', { path: { workspace }, body })
    return aim
  },
}

export const scanRecipes: AreaRecipes = {
  operations: {
    ...resourceRecipes(policy),
    scanArtifact: {
      aim: async world => ({ path: await newPath(world), body: {} }),
      faults: { rule: noReference, state: deleting(), reference: absentScanner, quota: noRoom },
    },
  },
  // The scanners are those of the settings.
  reasons: { SCANNER_UNKNOWN: 'reference' },
}
