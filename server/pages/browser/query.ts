import { AnswerError, accessToken, answered, member, signInPath } from './session.ts'

/** The times of a query: the first and the last point and the distance of points, in seconds. */
export interface TimeGrid {
  readonly start: number
  readonly end: number
  readonly step: number
}

/** A line: the labels of its series, and a value for each time of the grid; null where there is no sample. */
export interface Line {
  readonly labels: Readonly<Record<string, string>>
  readonly values: readonly (number | null)[]
}

/** The time between two samples of the server, in seconds. */
const sampleSeconds = 15

/** The number of points of a line, which is about the number of pixels that tell them apart. */
const points = 240

/** The number of queries that run at a time; a workspace may have eight. */
const most = 4

/** Returns the grid of the last `range` seconds, with points at multiples of the step. */
export function gridOf(range: number, nowMs: number): TimeGrid {
  const step = Math.max(sampleSeconds, Math.ceil(range / points / sampleSeconds) * sampleSeconds)
  const end = Math.floor(nowMs / 1000 / step) * step
  return { start: end - Math.ceil(range / step) * step, end, step }
}

/** Returns the times of a grid, in seconds since 1970. */
export const timesOf = ({ end, start, step }: TimeGrid): number[] =>
  Array.from({ length: Math.round((end - start) / step) + 1 }, (_, index) => start + index * step)

/** Returns a query in PromQL whose `$window` is long enough for four samples, and covers every sample of the grid. */
const withWindow = (query: string, { step }: TimeGrid): string =>
  query.replaceAll('$window', `${Math.max(4 * sampleSeconds, step)}s`)

let running = 0
const waiting: (() => void)[] = []

/**
 * Queries the metrics of the platform; returns the lines in the order of their labels. Leads to the page for signing in
 * if the session has ended. Throws `AnswerError` for other refusals.
 */
export async function lines(path: string, query: string, grid: TimeGrid): Promise<readonly Line[]> {
  if (running >= most) await new Promise<void>(resolve => waiting.push(resolve))
  else running += 1
  try {
    const body = JSON.stringify({
      query: withWindow(query, grid),
      start_time: new Date(grid.start * 1000).toISOString(),
      end_time: new Date(grid.end * 1000).toISOString(),
      step: `${grid.step}s`,
    })
    return linesOf(await posted(path, body), grid)
  } finally {
    // A waiting query takes over the place of this query.
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }
}

async function posted(path: string, body: string, isRefused = false): Promise<unknown> {
  const token = await accessToken(isRefused)
  if (token === undefined) {
    location.assign(signInPath)
    throw new AnswerError(401, 'The session has ended.')
  }
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const answer = await fetch(path, { method: 'POST', headers, body })
  if (answer.status === 401 && !isRefused) return posted(path, body, true)
  return answered(answer)
}

function linesOf(answer: unknown, grid: TimeGrid): readonly Line[] {
  const matrix = member(answer, 'matrix')
  if (!Array.isArray(matrix)) return []
  return matrix.map(series => ({ labels: labelsOf(member(series, 'metric')), values: valuesOf(series, grid) }))
}

const labelsOf = (metric: unknown): Line['labels'] =>
  Object.fromEntries(Object.entries(Object(metric)).map(([name, value]) => [name, String(value)]))

/** Returns the value at each time of the grid; null where the series has no point, or a value that cannot be drawn. */
function valuesOf(series: unknown, grid: TimeGrid): readonly (number | null)[] {
  const values: (number | null)[] = timesOf(grid).map(() => null)
  const given = member(series, 'points')
  for (const point of Array.isArray(given) ? given : []) {
    const seconds = Date.parse(String(member(point, 'time'))) / 1000
    const value = Number(member(point, 'value'))
    const index = Math.round((seconds - grid.start) / grid.step)
    if (Number.isFinite(value) && index >= 0 && index < values.length) values[index] = value
  }
  return values
}
