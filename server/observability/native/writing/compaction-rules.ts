import type { DayFile } from '../files/day-file.ts'

/** The numbers of parts and of samples in parts from which on their samples move to chunks: reads look at all parts. */
const mostParts = 512
const mostSamples = 500_000

/** The age of a part from which on its samples move to chunks, in milliseconds. */
const longestMs = 300_000

/** Whether the samples of the parts of a file are to be moved to chunks. */
export const isDue = ({ oldestPartAt, parts, samplesInParts }: DayFile, now: number): boolean =>
  parts.length >= mostParts || samplesInParts >= mostSamples || now - oldestPartAt > longestMs
