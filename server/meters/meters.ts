import { CallMeter } from './call-meter.ts'
import { StepMeter } from './step-meter.ts'
import { StoreMeter } from './store-meter.ts'

/** Why something was refused or cut that never became a call. */
export type Refusal =
  /** There are as many calls in work as the server takes. */
  | 'overloaded'
  /** The server ends. */
  | 'draining'
  /** No HTTP. */
  | 'malformed'
  | 'headers_too_large'
  /** Headers or body did not arrive in time. */
  | 'timeout'
  /** The caller did not take its answer in time. */
  | 'unread'
  /** There are as many connections as the server takes. */
  | 'connections'

const refusals: readonly Refusal[] = [
  'overloaded',
  'draining',
  'malformed',
  'headers_too_large',
  'timeout',
  'unread',
  'connections',
]

/** Everything that a server counts of itself, from its start on. */
export class Meters {
  readonly calls = new CallMeter()
  readonly store = new StoreMeter()
  readonly steps = new StepMeter()
  readonly refusals = new Map<Refusal, number>(refusals.map(cause => [cause, 0]))

  refused(cause: Refusal): void {
    this.refusals.set(cause, (this.refusals.get(cause) ?? 0) + 1)
  }
}
