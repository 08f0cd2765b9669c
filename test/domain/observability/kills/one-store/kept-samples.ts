import type { Ninefold } from '../../../../../output/client.ts'
import { pushedNames, type KilledSender } from './killed-sender.ts'

/**
 * Returns what differs between the pushes of a sender and its stored samples: an acknowledged push must be there, any
 * other push may be there, each sample once, and each push with all of its samples or none.
 */
export async function faultsOf(
  { observability }: Ninefold,
  workspace: string,
  sender: KilledSender,
): Promise<readonly string[]> {
  const { acknowledged, given, name } = sender
  const query = `{__name__=~"${pushedNames.join('|')}",sender="${name}"}[1d]`
  const time = new Date(sender.timeOf(0) + 22 * 3_600_000).toISOString()
  const at = { workspace, engine: 'native' }
  const { matrix } = await observability.queryMetrics({ ...at, body: { query, time } })
  const faults: string[] = []
  const found = new Map<string, number>()
  for (const { points } of matrix)
    for (const point of points) {
      const sample = `${Date.parse(point.time)} ${point.value}`
      found.set(sample, (found.get(sample) ?? 0) + 1)
    }
  for (const push of [...acknowledged, ...given]) {
    const sample = `${sender.timeOf(push)} ${push}`
    const count = found.get(sample) ?? 0
    found.delete(sample)
    if (count === pushedNames.length || (count === 0 && given.has(push))) continue
    const kind = given.has(push) ? 'a push without an answer' : 'an acknowledged push'
    faults.push(`${name}: ${kind}, ${push}, has ${count} of ${pushedNames.length} samples`)
  }
  return [...faults, ...[...found.keys()].map(sample => `${name}: nobody has pushed ${sample}`)]
}
