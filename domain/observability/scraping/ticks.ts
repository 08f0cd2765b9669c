import { createHash } from 'node:crypto'

/**
 * Returns the offset of a target in its interval, in milliseconds: the targets of all workspaces spread over the interval,
 * and a target keeps its offset through restarts.
 */
export const offsetOf = (key: string, intervalMs: number): number =>
  createHash('sha256').update(key).digest().readUIntBE(0, 6) % intervalMs

/** Returns the first tick of a target after a time; ticks are multiples of the interval since 1970, plus the offset. */
export const tickAfter = (time: number, intervalMs: number, offset: number): number =>
  (Math.floor((time - offset) / intervalMs) + 1) * intervalMs + offset
