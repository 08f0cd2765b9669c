export const workspace = '01a2210c-c3ad-71cd-b4c5-000000000001'

/** The end of all lines: long enough that parts are moved into blocks during a run. */
const filler = 'f'.repeat(100_000)

/** Returns the lines that a round writes, each in a write of its own. */
export const linesOfRound = (round: number): readonly string[] =>
  Array.from({ length: 6 }, (_, i) => `round ${round} line ${i} ${filler}`)
