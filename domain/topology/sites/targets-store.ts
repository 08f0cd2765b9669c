import { deploymentTargetsList } from '../../../output/topology/filters.ts'
import type { DeploymentTarget } from '../../../output/topology/types.ts'
import { Conflict, type Collection } from '../../ports/store.ts'
import { storedFields } from './stored-fields.ts'

/** The result of the last probe of a target's driver. */
export type ProbeResult = 'PASSED' | 'FAILED'

/** A stored deployment target, without its state; `state_message` is the message of the last probe. */
export type StoredTarget = Omit<DeploymentTarget, 'state'> & { readonly probe: ProbeResult }

/** The deployment targets of the platform. */
export const targetCollection: Collection<StoredTarget> = {
  name: 'topology_deployment_targets',
  id: 'id',
  list: storedFields(deploymentTargetsList, ['state']),
  hidden: ['probe'],
  columns: { probe: 'STRING' },
  // Of two concurrent first registrations, the second is retried and then finds the target.
  uniques: [{ fields: ['name'], taken: ({ name }) => new Conflict(`the target ${name} was registered meanwhile`) }],
  indexes: [['location']],
}
