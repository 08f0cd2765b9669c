import type { Buckets } from './buckets.ts'

/** The labels of a series. Every value comes from a table of ours: what callers send is never one. */
export type Labels = Readonly<Record<string, string>>

/** One number of a counter or gauge. */
export interface Sample {
  readonly labels: Labels
  readonly value: number
}

/** One series of a histogram. */
export interface Distribution {
  readonly labels: Labels
  readonly buckets: Buckets
}

/** A table of numbers by name as samples, each name as the label `label`. */
export const samplesBy = (label: string, counts: ReadonlyMap<string, number>): readonly Sample[] =>
  [...counts].map(([name, value]) => ({ labels: { [label]: name }, value }))
