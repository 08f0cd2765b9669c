import type { Inspection } from '../ports/inspection.ts'
import { activities, activityScope } from './activities/activities.ts'
import { activityCollection, chainCollection } from './activities/activities-store.ts'
import { activityRetention } from './activities/activity-retention.ts'
import { inspectChains } from './activities/inspect-chains.ts'
import { sequencer } from './activities/sequencer.ts'
import type { ObservabilityEnvironment } from './environment.ts'

/** The parts of observability that need no setting. */
export const observability = {
  built: { activities },
  collections: [activityCollection, chainCollection],
  scopes: { getActivity: activityScope },
  workers: (environment: ObservabilityEnvironment) => [sequencer(environment), activityRetention(environment)],
  inspect: ({ reader }: Inspection) => inspectChains(reader),
} as const
