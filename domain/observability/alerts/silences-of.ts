import type { Labels } from '../metrics/samples.ts'

/** Returns the ids of the active silences that cover an alert with these labels. */
export type SilencesOf = (labels: Labels) => readonly string[]
