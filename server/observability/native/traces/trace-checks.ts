import { basename } from 'node:path'
import { faultsIn, numberOf, rows } from '../files/file-checks.ts'
import type { SignalPlaces } from '../files/places.ts'
import { resourceOfRow, spanOfRow } from './stored-texts.ts'

/** A resource for the check of spans. */
const anyResource = { service: '', attributes: {} }

/**
 * Yields the faults of the files of the traces of a workspace, as continuations of its name: files that are damaged, spans
 * of resources that their file lacks, and spans of traces that the index has never had.
 */
export function* traceFaults(places: SignalPlaces): Generator<string> {
  const newest = new Map<number, number>()
  for (const day of places.days()) {
    const file = places.day(day)
    let lost = 0
    yield* faultsIn(file, 'spans', database => {
      for (const [id, text] of rows(database, 'SELECT id, text FROM resources')) resourceOfRow(Number(id), String(text))
      for (const row of rows(database, 'SELECT trace, span, start, resource, error, text FROM spans')) checkSpan(row)
      lost = numberOf(database, 'SELECT count(*) FROM spans WHERE resource NOT IN (SELECT id FROM resources)')
      newest.set(day, numberOf(database, 'SELECT max(trace) FROM spans'))
    })
    if (lost > 0) yield `has ${lost} spans in ${basename(file)} whose resources are missing`
  }
  // The index has a trace before the files of days have its spans, so the index is read after these files.
  let last = Infinity
  yield* faultsIn(places.index, 'traces', database => {
    last = numberOf(database, `SELECT seq FROM sqlite_sequence WHERE name = 'traces'`)
  })
  for (const [day, trace] of newest)
    if (trace > last) yield `has spans of a trace ${trace} in ${basename(places.day(day))}; the index has ${last}`
}

/** Throws if a span is malformed, or differs from its checksum. */
function checkSpan([trace, span, start, resource, error, text]: readonly unknown[]): void {
  if (!(span instanceof Uint8Array)) throw new Error('a span has no id')
  const of = { trace: Number(trace), start: Number(start), resource: Number(resource), error: Number(error) }
  spanOfRow({ ...of, span }, String(text), '', anyResource)
}
