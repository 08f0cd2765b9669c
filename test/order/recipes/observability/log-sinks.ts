import { absentId } from '../../../areas/members.ts'
import { withBody } from '../../aim.ts'
import type { AreaRecipes, Fault } from '../../recipe.ts'
import { resourceRecipes, type Resource } from '../../resource-recipes.ts'
import { noRoom } from './limits.ts'

const webhook = { url: 'https://198.51.100.7/hook' }

const severalDestinations: Fault = {
  reason: 'DESTINATION_INVALID',
  apply: aim => withBody(aim, { destination: { webhook, otlp: { url: 'https://198.51.100.7/v1/logs' } } }),
}

const absentBucket: Fault = {
  reason: 'DESTINATION_NOT_FOUND',
  apply: aim => withBody(aim, { destination: { bucket: { bucket_id: absentId } } }),
}

const sink: Resource = {
  noun: 'LogSink',
  body: ({ newName }) => ({
    name: newName(),
    sources: ['OBSERVABILITY_SINK_SOURCE_LOGS'],
    destination: { webhook },
  }),
  calls: {
    create: { faults: { rule: severalDestinations, reference: absentBucket, quota: noRoom('logSinks') } },
    update: {
      body: { sources: ['OBSERVABILITY_SINK_SOURCE_LOGS'], destination: { webhook }, display_name: 'Hook' },
      faults: { rule: severalDestinations, reference: absentBucket },
    },
    delete: {},
  },
}

export const logSinkRecipes: AreaRecipes = {
  operations: resourceRecipes(sink),
  // A filter that is nested too deeply is a fault of the form.
  reasons: { 'createLogSink.QUERY_LIMIT_EXCEEDED': 'rule', 'updateLogSink.QUERY_LIMIT_EXCEEDED': 'rule' },
}
