import { subnetInUse, subnetNotFound, vpcNotFound } from '../../../output/network/errors.ts'
import { subnetFields } from '../../../output/network/validators.ts'
import { defineKind } from '../../resources/kind.ts'
import { vpcKind } from '../vpcs.ts'
import { subnetCollection } from './subnets-store.ts'

/**
 * The kind of subnets (network.md 1). Each mutation locks the VPC, so that the blocks and the other subnets of the VPC
 * do not change during the mutation.
 */
export const subnetKind = defineKind({
  type: 'network.subnets',
  noun: 'subnet',
  collection: subnetCollection,
  fields: subnetFields,
  notFound: subnetNotFound,
  inUse: subnetInUse,
  references: [{ member: 'vpc_id', target: vpcKind, absent: vpcNotFound, hold: 'lock' }],
})
