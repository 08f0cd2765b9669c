import type { SignalInput } from '../../../../output/observability/types.ts'
import type { RetentionReader } from '../../../../domain/observability/stacks/retention-reader.ts'

/**
 * Returns the retention of a workspace in a member, in milliseconds: Infinity if the member keeps telemetry without an
 * end, undefined if it does not tell. Rejects with ENGINE_UNAVAILABLE.
 */
export type RetentionSource = (workspace: string, caller: AbortSignal) => Promise<number | undefined>

/** The sources of the retentions of a stack, by signal. */
export type RetentionSources = { readonly [Signal in SignalInput]?: RetentionSource | undefined }

/** The retentions of a stack, as its members tell them. */
export class StackRetention implements RetentionReader {
  readonly #sources: RetentionSources

  constructor(sources: RetentionSources) {
    this.#sources = sources
  }

  async retentionMs(workspace: string, signal: SignalInput, caller: AbortSignal): Promise<number | undefined> {
    const retentionMs = await this.#sources[signal]?.(workspace, caller)
    return retentionMs === Infinity ? undefined : retentionMs
  }
}
