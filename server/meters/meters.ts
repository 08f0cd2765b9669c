import { CallMeter } from './call-meter.ts'
import { StepMeter } from './step-meter.ts'
import { StoreMeter } from './store-meter.ts'

/** The causes of refused or closed requests that never became calls. */
export type Refusal =
  /** The number of running calls is at its limit. */
  | 'overloaded'
  /** The server is ending. */
  | 'draining'
  /** The bytes are no HTTP. */
  | 'malformed'
  | 'headers_too_large'
  /** The body has a transfer coding that the server cannot decode. */
  | 'transfer_coding'
  /** Headers or body did not arrive in time. */
  | 'timeout'
  /** The caller did not take its answer in time. */
  | 'unread'
  /** The number of connections is at its limit. */
  | 'connections'

const refusals: readonly Refusal[] = [
  'overloaded',
  'draining',
  'malformed',
  'headers_too_large',
  'transfer_coding',
  'timeout',
  'unread',
  'connections',
]

/** All counts of a server, since its start. */
export class Meters {
  readonly calls = new CallMeter()
  readonly store = new StoreMeter()
  readonly steps = new StepMeter()
  readonly refusals = new Map<Refusal, number>(refusals.map(cause => [cause, 0]))
  /** The number of tokens that callers revoked and that were unknown or had ended. */
  unknownTokens = 0

  refused(cause: Refusal): void {
    this.refusals.set(cause, (this.refusals.get(cause) ?? 0) + 1)
  }
}
