import type { Transaction } from './store.ts'

/** A subnet, as other areas see it. */
export interface SubnetFacts {
  readonly id: string
  readonly vpc_id: string
  /** The name of the region of the VPC. */
  readonly region: string
}

/** The machine of a port. */
export interface PortOwner {
  readonly id: string
  readonly name: string
  /** The name of the zone in which the machine runs. */
  readonly zone: string
  readonly labels: Readonly<Record<string, string>>
}

/** The request for a logical port. */
export interface PortRequest {
  readonly vm: PortOwner
  /** The name of the interface at the machine: `nic0`. */
  readonly nic: string
  /** A subnet that `requireSubnet` has returned in the same transaction. */
  readonly subnet_id: string
  /** The wanted IPv4 address; without it, the port gets the lowest free address outside of the reserved ranges. */
  readonly ip_address?: string | undefined
}

/** A new logical port: the members that its machine stores too. */
export interface CreatedPort {
  readonly id: string
  readonly vpc_id: string
  readonly ip_address: string
  /** The MAC address in lower-case hexadecimal, with colons. */
  readonly mac_address: string
}

/**
 * The wires of this server between virtual machines and their logical ports. The calls return at once and never throw;
 * the switch connects in the background. The wires are memory of the process: after a start of the server, the driver
 * of each running machine attaches its ports again.
 */
export interface PortWires {
  /**
   * Connects a logical port with the network device of its machine, which listens on the unix socket at `socketPath`
   * (an absolute path whose last part has at most 80 bytes). Frames pass in both directions, each behind its length as 4 bytes, big endian.
   * The switch connects as soon as the socket exists, and again after each end of the connection, until `detach`. A
   * repeated call with the same path tries to connect immediately; a call with another path replaces the connection.
   */
  attach(portId: string, socketPath: string): void
  /** Closes the connection of a port. Does nothing if the port is not attached. */
  detach(portId: string): void
}

/** Whether the machine of a port is powered. */
export type PortPower = 'UP' | 'DOWN'

/**
 * The functions of network for other areas (conventions §14). All functions but `wires` run in the transaction of the caller, which
 * has shared the organisation of the workspace. A thrown error must roll the whole transaction back. A caller with
 * several subnets calls `requireSubnet` for them in the order of their ids, before the caller creates or releases their
 * ports, so that two transactions never deadlock.
 */
export interface Network {
  readonly wires: PortWires
  /**
   * Returns the subnet and locks its row until the end of the transaction. Returns undefined if the workspace has no
   * such subnet, so that each caller can throw its own error.
   */
  requireSubnet(tx: Transaction, workspace: string, subnetId: string): Promise<SubnetFacts | undefined>
  /**
   * Creates the logical port of an interface, in the state DOWN, with an address of the subnet, and returns the port.
   * Throws the first failure of: IP_ADDRESS_NOT_ASSIGNABLE, IP_ADDRESS_IN_USE, QUOTA_EXCEEDED of
   * `network.logicalPorts`, SUBNET_EXHAUSTED, and ENGINE_UNAVAILABLE if other ports have all MAC addresses of the new
   * port. The caller adds the field of its body with `atField`. The call locks a quota bucket, so it must follow the
   * other locks of the transaction.
   */
  createPort(tx: Transaction, request: PortRequest): Promise<CreatedPort>
  /** Deletes a port and frees its address. Does nothing if the port does not exist. */
  releasePort(tx: Transaction, portId: string): Promise<void>
  /** Sets the state of a port. Does nothing if the port does not exist. */
  setPortState(tx: Transaction, portId: string, state: PortPower): Promise<void>
  /** Replaces the labels of all ports of a machine. */
  setPortLabels(tx: Transaction, vmId: string, labels: PortOwner['labels']): Promise<void>
}
