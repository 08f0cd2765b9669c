import { nextTurn } from '../../resources/next-turn.ts'

/** The number of items between two turns of the event loop; each item costs some microseconds. */
const perTurn = 100

/** Returns the results of `change` for all items, and lets other work run in between. */
export async function inTurns<T, R>(items: readonly T[], change: (item: T) => R): Promise<readonly R[]> {
  const results: R[] = []
  for (const [index, item] of items.entries()) {
    if (index % perTurn === perTurn - 1) await nextTurn()
    results.push(change(item))
  }
  return results
}
