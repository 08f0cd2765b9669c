import type { MeasuredVm, Usage } from '../telemetry.ts'
import { spread } from './durations.ts'

/** The time of one wave of the usage, in milliseconds. */
const waveMs = 3_600_000

/** Returns a plausible usage of a running machine: a wave whose phase and mean depend on the machine alone. */
export function usageOf({ id, memory_mib }: MeasuredVm, now: number): Usage {
  // From 0 to 1, always the same for one machine.
  const own = (spread(id) - 0.9) / 0.2
  const wave = (1 + Math.sin(2 * Math.PI * (now / waveMs + own))) / 2
  return {
    cpu_utilization: round(0.05 + 0.25 * own + 0.5 * wave),
    memory_used_mib: Math.round(memory_mib * (0.25 + 0.25 * own + 0.25 * wave)),
  }
}

const round = (share: number): number => Math.round(share * 10_000) / 10_000
