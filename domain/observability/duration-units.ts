/** Nanoseconds of the units of durations, as Go's `time.ParseDuration` reads them. */
export const durationUnits: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
}
