import { logicalPortNotFound, subnetNotFound } from '../../../output/network/errors.ts'
import { defineKind } from '../../resources/kind.ts'
import { subnetKind } from '../subnets/subnet-kind.ts'
import { portCollection } from './ports-store.ts'

/**
 * The kind of logical ports (network.md 1), which other areas create with their machines. A port refers to its subnet
 * only: the subnet refers to the VPC, so the VPC cannot be deleted before the port.
 */
export const portKind = defineKind({
  type: 'network.logicalPorts',
  noun: 'logical port',
  collection: portCollection,
  notFound: logicalPortNotFound,
  isHolding: false,
  references: [{ member: 'subnet_id', target: subnetKind, absent: subnetNotFound, hold: 'lock' }],
})
