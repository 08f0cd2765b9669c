const { NINEFOLD_KILL_POINTS: given = '4' } = process.env

const isCount = (asked: string): boolean => /^\d+$/.test(asked)

/** The time limit of a test with a walk, in milliseconds. */
export const walkTimeout = isCount(given) && Number(given) <= 4 ? 180_000 : 7_200_000

/**
 * Returns the points that a walk tries, in order. `asked` is a maximal number of points, which lie evenly among all points;
 * `all`; a range like `1-40` of the points in the order of their names, so that several processes share a walk; or a part
 * of the names of points. Throws if there is no such point. For all points: `NINEFOLD_KILL_POINTS=all npx vitest run
 * test/server/made-area`
 */
export function triedPoints(points: readonly string[], asked = given): readonly string[] {
  const tried = chosen(points, asked)
  if (tried.length === 0) throw new Error(`NINEFOLD_KILL_POINTS=${asked} names none of the points ${points.join(', ')}`)
  return tried
}

function chosen(points: readonly string[], asked: string): readonly string[] {
  if (asked === 'all') return points
  const [, from, to] = /^(\d+)-(\d+)$/.exec(asked) ?? []
  if (to !== undefined) return points.toSorted().slice(Math.max(0, Number(from) - 1), Number(to))
  if (!isCount(asked)) return points.filter(point => point.includes(asked))
  const stride = Math.max(1, points.length / Number(asked))
  return points.filter((_, i) => Math.floor(i / stride) !== Math.floor((i - 1) / stride))
}
