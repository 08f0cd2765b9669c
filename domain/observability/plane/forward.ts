import type { StoredIngestionConfig } from '../ingestion-configs/ingestion-configs-store.ts'
import type { WriteResult } from '../metrics/metric-engine.ts'
import type { SentBody } from '../sent-body.ts'
import { stackMember, type Stacks } from '../stacks/stack.ts'
import type { Signal } from './taking-config.ts'

/**
 * Sends a request for a stack on to the stack. The size of logs for their rate is that of the request, whose lines are not
 * read. Rejects as `OtlpForward`.
 */
export async function forward(
  stacks: Stacks,
  { engine, static_labels: staticLabels = {}, workspace_id: workspace }: StoredIngestionConfig,
  signal: Signal,
  { body, coding, format }: SentBody,
): Promise<WriteResult & { readonly size: number }> {
  // The stack takes the memory of the body.
  const { length } = body
  const result: WriteResult =
    format === 'remote-write'
      ? await stackMember(stacks, engine, 'samples').push(workspace, { body, coding, format, staticLabels })
      : await stackMember(stacks, engine, 'otlp').push(workspace, signal, { body, coding, format, staticLabels })
  const items = Object.values(result.rejections).reduce((sum, count) => sum + count, result.accepted)
  return { ...result, size: signal === 'LOGS' ? length : items }
}
