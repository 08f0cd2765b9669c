import {
  deploymentTargetInUse,
  deploymentTargetNotFound,
  locationAlreadyApproved,
  locationNotApproved,
  locationNotFound,
  locationStateInvalid,
  multiRegionInUse,
  multiRegionNotFound,
  regionNotFound,
  zoneInUse,
  zoneNotFound,
} from '../../../output/topology/errors.ts'
import { deploymentTargetFields, multiRegionFields, zoneFields } from '../../../output/topology/validators.ts'
import { defineKind } from '../../resources/kind.ts'
import type { StateTable } from '../../resources/states.ts'
import { locationCollection, type StoredLocation } from './locations-store.ts'
import { multiRegionCollection } from './multi-regions-store.ts'
import { regionCollection } from './regions-store.ts'
import { targetCollection } from './targets-store.ts'
import { zoneCollection } from './zones-store.ts'

const pending = 'TOPOLOGY_LOCATION_STATE_PENDING'
const enabled = 'TOPOLOGY_LOCATION_STATE_ENABLED'
const disabled = 'TOPOLOGY_LOCATION_STATE_DISABLED'

/** The state verbs of locations (topology.md 2). An approval may also lead to DISABLED. */
const locationStates: StateTable<StoredLocation> = {
  member: 'state',
  transitions: {
    approve: { type: 'APPROVE', from: [pending], to: enabled },
    enable: { type: 'ENABLE', from: [disabled], to: enabled },
    disable: { type: 'DISABLE', from: [enabled], to: disabled },
  },
  invalid(message, { allowed, current }, details) {
    if (allowed === pending) return locationAlreadyApproved(message, { current_state: current }, details)
    if (current === pending) return locationNotApproved(message, details)
    return locationStateInvalid(message, { current_state: current }, details)
  },
}

/** The kind of locations, which are the sites of deployment targets. */
export const locationKind = defineKind({
  type: 'topology.locations',
  noun: 'location',
  collection: locationCollection,
  notFound: locationNotFound,
  isNamed: true,
  states: locationStates,
})

/** The kind of regions. */
export const regionKind = defineKind({
  type: 'topology.regions',
  noun: 'region',
  collection: regionCollection,
  notFound: regionNotFound,
  isNamed: true,
})

/**
 * The kind of multi-regions. `references` is absent, because the handlers of multi-regions record the references to
 * regions.
 */
export const multiRegionKind = defineKind({
  type: 'topology.multiRegions',
  noun: 'multi-region',
  collection: multiRegionCollection,
  fields: multiRegionFields,
  notFound: multiRegionNotFound,
  inUse: multiRegionInUse,
  isNamed: true,
})

const inLocation = { member: 'location', by: 'name', target: locationKind, absent: locationNotFound } as const

/** The kind of deployment targets. */
export const targetKind = defineKind({
  type: 'topology.deploymentTargets',
  noun: 'deployment target',
  collection: targetCollection,
  fields: deploymentTargetFields,
  notFound: deploymentTargetNotFound,
  inUse: deploymentTargetInUse,
  isNamed: true,
  references: [inLocation],
})

/** The kind of zones. */
export const zoneKind = defineKind({
  type: 'topology.zones',
  noun: 'zone',
  collection: zoneCollection,
  fields: zoneFields,
  notFound: zoneNotFound,
  inUse: zoneInUse,
  isNamed: true,
  references: [inLocation],
})
