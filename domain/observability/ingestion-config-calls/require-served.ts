import type { IngestionConfigUpdate } from '../../../output/observability/types.ts'
import { lacking, nativeEngine, stackMember, type Stacks } from '../stacks/stack.ts'

/**
 * Throws ENGINE_CAPABILITY_UNSUPPORTED for a config whose telemetry an engine does not take: a stack scrapes its own
 * targets, takes only the signals of its members, and decides itself on the attributes that become labels.
 */
export function requireServed(
  stacks: Stacks,
  engine: string,
  { otlp, prometheus_remote_write: remoteWrite, prometheus_scrape: scrape }: IngestionConfigUpdate,
): void {
  if (engine === nativeEngine) return
  if (scrape) throw lacking('the platform scrapes targets for the engine native only', 'PROMETHEUS_SCRAPE')
  if (remoteWrite) stackMember(stacks, engine, 'samples')
  if (!otlp) return
  stackMember(stacks, engine, 'otlp')
  const isConverted = otlp.delta_to_cumulative === true || (otlp.promote_resource_attributes ?? []).length > 0
  if (isConverted) throw lacking('the engine gets OTLP as it was sent, without a conversion', 'OTLP_CONVERSION')
}
