import { expect, it } from 'vitest'
import { TurnShares } from '../../../../server/storage/files/sums.ts'

/** Occupies the processor for longer than the share of a turn. */
function work(): void {
  const until = performance.now() + 5
  while (performance.now() < until);
}

it('gives other work of the event loop a turn between the checksums of concurrent bodies', async () => {
  const shares = new TurnShares()
  let turn = 0
  let isOver = false
  const count = (): void => {
    turn += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const bodies = Array.from({ length: 5 }, (_, body) =>
    shares.run(() => {
      work()
      return { body, turn }
    }),
  )
  const done = await Promise.all(bodies)
  isOver = true
  expect(done.map(({ body }) => body)).toEqual([0, 1, 2, 3, 4])
  expect(new Set(done.map(each => each.turn)).size).toBe(5)
})
