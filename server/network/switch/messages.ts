import type { ConnectionRecord } from '../../../domain/network/packets/connection-record.ts'
import type { ConnectionLimits } from '../../../domain/network/packets/connections.ts'
import type { VpcRows } from '../../../domain/network/packets/switched-vpc.ts'

/** The input of the thread of the switch at its start. */
export interface SwitchStart {
  readonly limits: ConnectionLimits
  /** A random integer for the connection table. */
  readonly seed: number
  /** The memory of `PacketCounts` with the counts of all ports, which the server reads. */
  readonly totals: SharedArrayBuffer
  /** The memory of the two numbers of `levels`. */
  readonly levels: SharedArrayBuffer
  /** Whether the thread sends connection records. */
  readonly isLogging: boolean
}

/** The places of the numbers in the memory `levels`: connected ports, and connections. */
export const levels = { PORTS: 0, CONNECTIONS: 1 } as const
/** The number of bytes of the memory `levels`. */
export const levelsBytes: number = Object.keys(levels).length * Float64Array.BYTES_PER_ELEMENT

/** A message to the thread of the switch. */
export type ToSwitch =
  | { readonly kind: 'attach'; readonly port: string; readonly path: string }
  | { readonly kind: 'detach'; readonly port: string }
  | { readonly kind: 'vpc'; readonly rows: VpcRows }
  | { readonly kind: 'forget'; readonly vpc: string }

/** A message from the thread of the switch. */
export type FromSwitch =
  /** The counts of a port that was detached, by name. */
  | { readonly kind: 'detached'; readonly port: string; readonly counts: Readonly<Record<string, number>> }
  /** The port was not attached, because the switch has no place for another port. */
  | { readonly kind: 'full'; readonly port: string }
  /** The rows of the VPC were not accepted. */
  | { readonly kind: 'refused'; readonly vpc: string; readonly message: string }
  /** New connections since the last such message; `lost` further connections were not recorded. */
  | { readonly kind: 'records'; readonly records: readonly ConnectionRecord[]; readonly lost: number }
