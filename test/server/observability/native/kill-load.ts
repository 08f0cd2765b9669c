import type { Series } from '../../../../domain/observability/metrics/samples.ts'
import { noon, series } from './engines.ts'

/** The number of rounds of one workspace; the last of them drops the workspace, except of the even workspaces. */
export const roundsOfWorkspace = 12

/** Returns the workspace of a number. */
export const workspaceOf = (number: number): string => `01a2210c-c3ad-71cd-b4c5-${String(number).padStart(12, '0')}`

/** Whether a round drops the workspace to which it writes. */
export const isDropped = (round: number): boolean =>
  round % roundsOfWorkspace === roundsOfWorkspace - 1 && Math.floor(round / roundsOfWorkspace) % 2 === 1

/** The writes of a round: three concurrent writes, each with samples of three series of today and of yesterday. */
export function writtenIn(round: number): readonly [Write, ...Write[]] {
  const number = Math.floor(round / roundsOfWorkspace)
  const write = (part: number): Write => ({ workspace: workspaceOf(number), written: seriesOf(round, part) })
  return [write(0), write(1), write(2)]
}

/** A write of a round. */
export interface Write {
  readonly workspace: string
  readonly written: readonly Series[]
}

/** Noon is ten o'clock, so that eleven hours before lie in the day before. */
const yesterday = noon - 11 * 3_600_000

const seriesOf = (round: number, part: number): readonly Series[] =>
  ['0', '1', '2'].map(job => {
    const labels = { __name__: 'g', job, part: String(part), round: String(round) }
    return series(labels, [
      [yesterday + round, round],
      [noon - 1000, round],
      [noon, round + 0.5],
    ])
  })
