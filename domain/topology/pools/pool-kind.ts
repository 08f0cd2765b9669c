import {
  deploymentTargetNotFound,
  resourcePoolInUse,
  resourcePoolNotFound,
  zoneNotFound,
} from '../../../output/topology/errors.ts'
import { resourcePoolFields } from '../../../output/topology/validators.ts'
import { defineKind } from '../../resources/kind.ts'
import { targetKind, zoneKind } from '../sites/kinds.ts'
import { poolCollection } from './pools-store.ts'

/**
 * The kind of resource pools (topology.md 1). Each mutation locks the deployment target, then the zone, then the pool,
 * so that neither another pool of the target nor an allocation in the zone changes during the mutation.
 */
export const poolKind = defineKind({
  type: 'topology.resourcePools',
  noun: 'resource pool',
  collection: poolCollection,
  fields: resourcePoolFields,
  notFound: resourcePoolNotFound,
  inUse: resourcePoolInUse,
  isNamed: true,
  references: [
    { member: 'deployment_target', by: 'name', target: targetKind, absent: deploymentTargetNotFound, hold: 'lock' },
    { member: 'zone', by: 'name', target: zoneKind, absent: zoneNotFound, hold: 'lock' },
  ],
})
