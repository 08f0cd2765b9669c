import type { Metric } from '../../health/metrics.ts'

/** The figures of the newest snapshot of a server. */
interface Newest {
  readonly bytes: number
  readonly timeMs: number
  /** The duration of its writing; 0 for a snapshot that an earlier process has written. */
  readonly seconds: number
}

const outcomes = ['written', 'write_failed', 'verify_failed'] as const

/** Counts the snapshots of a server for its metrics. */
export class SnapshotMeter {
  readonly #counts = new Map<string, number>(outcomes.map(outcome => [outcome, 0]))
  #newest: Newest = { bytes: 0, timeMs: 0, seconds: 0 }

  /** Takes the newest snapshot that is in the folder at the start of a server. */
  found(newest: Omit<Newest, 'seconds'>): void {
    this.#newest = { ...newest, seconds: 0 }
  }

  written(newest: Newest): void {
    this.#newest = newest
    this.#count('written')
  }

  failed(stage: 'write' | 'verify'): void {
    this.#count(`${stage}_failed`)
  }

  metrics(): readonly Metric[] {
    const gauge = (name: string, help: string, read: () => number): Metric => ({ kind: 'gauge', name, help, read })
    return [
      {
        kind: 'counter',
        name: 'ninefold_vault_snapshots_total',
        help: 'Snapshots of the vault that this server has tried to write, by outcome.',
        labels: ['outcome'],
        read: () => [...this.#counts].map(([outcome, value]) => ({ labels: { outcome }, value })),
      },
      gauge(
        'ninefold_vault_snapshot_time_seconds',
        'When the newest snapshot in the folder of this server was written, in seconds since 1970; 0 without one.',
        () => this.#newest.timeMs / 1000,
      ),
      gauge(
        'ninefold_vault_snapshot_bytes',
        'Size of the newest snapshot in the folder of this server.',
        () => this.#newest.bytes,
      ),
      gauge(
        'ninefold_vault_snapshot_seconds',
        'How long this server took to write its newest snapshot; 0 before it has written one.',
        () => this.#newest.seconds,
      ),
    ]
  }

  #count(outcome: string): void {
    this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1)
  }
}
