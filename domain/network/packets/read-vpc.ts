import type { Collection, Reader, Stored, Where } from '../../ports/store.ts'
import { firewallPolicyCollection } from '../firewall/policies-store.ts'
import { readPolicies } from '../firewall/read-policies.ts'
import { portCollection } from '../ports/ports-store.ts'
import { subnetCollection } from '../subnets/subnets-store.ts'
import { vpcCollection } from '../vpcs-store.ts'
import type { VpcRows } from './switched-vpc.ts'

/** The rows of a VPC at one moment. */
export interface VpcReading {
  /** The ids and versions of all rows. Two readings with the same revision have the same rows. */
  readonly revision: string
  /** Undefined if the revision is the known revision, because nothing has changed. */
  readonly rows: VpcRows | undefined
}

/**
 * Reads the rows of a VPC that the switch needs; returns undefined if the VPC does not exist. `reader` must be the
 * reader of a snapshot. Rows are parsed only if the revision differs from `known`. A change of a rule also changes the
 * version of its policy, so the revision needs no rules.
 */
export async function readVpc(reader: Reader, id: string, known?: string): Promise<VpcReading | undefined> {
  const vpc = await reader.get(vpcCollection, id)
  if (vpc === undefined) return undefined
  const subnets = await rowsOf(reader, subnetCollection, { vpc_id: id })
  const ports = await rowsOf(reader, portCollection, { vpc_id: id })
  const policies = await rowsOf(reader, firewallPolicyCollection, { vpc_id: id })
  const revision = [vpc, ...subnets, ...ports, ...policies].map(row => `${row.id} ${row.version}`).join()
  if (revision === known) return { revision, rows: undefined }
  return {
    revision,
    rows: {
      id,
      mtu: vpc.value.mtu,
      subnets: subnets.map(({ value: { cidr_block, dns_servers, gateway_address, id: subnet } }) => ({
        id: subnet,
        cidr_block,
        gateway_address,
        dns_servers,
      })),
      ports: ports.map(({ value: { id: port, ip_address, labels, mac_address, subnet_id } }) => ({
        id: port,
        ip_address,
        labels,
        mac_address,
        subnet_id,
      })),
      policies: await readPolicies(reader, id),
    },
  }
}

/** Returns the id of the VPC of a port, which never changes; undefined if the port does not exist. */
export const vpcOfPort = async (reader: Reader, port: string): Promise<string | undefined> =>
  (await reader.get(portCollection, port))?.value.vpc_id

async function rowsOf<T>(reader: Reader, collection: Collection<T>, where: Where<T>): Promise<readonly Stored<T>[]> {
  const rows: Stored<T>[] = []
  for await (const row of reader.each(collection, where)) rows.push(row)
  return rows
}
