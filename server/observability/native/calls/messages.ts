import type {
  InstantQuery,
  MetricSelection,
  PushedBody,
  RangeQuery,
  WriteLimits,
} from '../../../../domain/observability/metrics/metric-engine.ts'
import type { MetricBatch } from '../../../../domain/observability/metrics/metric-batch.ts'
import type { TelemetryRetention } from '../../../../domain/observability/telemetry-retention.ts'
import type { SentError } from './sent-error.ts'

/** The work of the thread that writes; `now` is the time of the call. */
export type WriteCall =
  | {
      readonly kind: 'push'
      readonly workspace: string
      readonly pushed: PushedBody
      readonly limits: WriteLimits
      readonly now: number
    }
  | {
      readonly kind: 'write'
      readonly workspace: string
      readonly batch: MetricBatch
      readonly limits: WriteLimits
      readonly now: number
    }
  | { readonly kind: 'purge'; readonly workspace: string; readonly retention: TelemetryRetention; readonly now: number }
  | { readonly kind: 'drop'; readonly workspace: string }
  | { readonly kind: 'active'; readonly workspace: string; readonly now: number }
  | EndCall

/** Ends the begun work of a thread that writes, and closes all files. */
export interface EndCall {
  readonly kind: 'end'
}

/** The work of a thread that reads, beyond the samples whose retention has ended at the time of the call, `now`. */
export type ReadCall = Question & { readonly retention: TelemetryRetention }

/** What a call asks for; `now` is the time of the call. */
export type Question = { readonly workspace: string; readonly now: number } & (
  | { readonly kind: 'query'; readonly query: InstantQuery }
  | { readonly kind: 'range'; readonly query: RangeQuery }
  | { readonly kind: 'alert'; readonly query: string; readonly time: number; readonly timeoutMs: number }
  | { readonly kind: 'descriptors' }
  | { readonly kind: 'labels'; readonly selection: MetricSelection }
)

/** A message to a thread: a call with a number. */
export interface Sent<Call> {
  readonly id: number
  readonly call: Call
}

/** A message of a thread: the outcome of the call with a number, or a file that cannot be used. */
export type Received =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: SentError }
  | { readonly fault: string }

/** The data of a new thread. */
export interface ThreadData {
  /** The folder for the telemetry of all workspaces. */
  readonly root: string
  /** A number that is 1 while the call in progress is to end; for threads that read. */
  readonly abort?: Int32Array<SharedArrayBuffer>
}
