import { decodeChunk } from '../format/chunk.ts'
import type { Samples } from '../format/samples.ts'

/**
 * The tables of the file of a day. `parts` has the samples of one commit in each row, from `first` to `last`, and `chunks` the samples of one
 * series from `start` to `last`. Chunks of a series do not overlap.
 */
export const daySchema = `
CREATE TABLE parts (id INTEGER PRIMARY KEY, first REAL NOT NULL, last REAL NOT NULL, bytes BLOB NOT NULL);
CREATE TABLE chunks (
  series INTEGER NOT NULL, start REAL NOT NULL, last REAL NOT NULL, bytes BLOB NOT NULL,
  PRIMARY KEY (series, start)
) WITHOUT ROWID`

/** A row of chunks: the times of the first and the last sample, and the bytes. */
export type ChunkRow = readonly [start: number, last: number, bytes: Uint8Array]

/** Selects the chunks of a series (1) that have samples later than a time (2), and not later than another time (3). */
export const chunksBetween = `SELECT start, last, bytes FROM chunks WHERE series = ?1 AND start <= ?3 AND last > ?2
  AND start >= ifnull((SELECT max(start) FROM chunks WHERE series = ?1 AND start <= ?2), ?2) ORDER BY start`

/** Returns the samples of each chunk. */
export const samplesOfChunks = (rows: readonly ChunkRow[]): Samples[] => rows.map(([, , bytes]) => decodeChunk(bytes))
