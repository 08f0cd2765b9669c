import type { Buckets } from './buckets.ts'

/** The labels of a series. The values of labels come from fixed tables, never from callers. */
export type Labels = Readonly<Record<string, string>>

/** A value of a counter or gauge. */
export interface Sample {
  readonly labels: Labels
  readonly value: number
}

/** A series of a histogram. */
export interface Distribution {
  readonly labels: Labels
  readonly buckets: Buckets
}

/** Returns numbers, keyed by name, as samples, with each name as the value of the label `label`. */
export const samplesBy = (label: string, counts: ReadonlyMap<string, number>): readonly Sample[] =>
  [...counts].map(([name, value]) => ({ labels: { [label]: name }, value }))
