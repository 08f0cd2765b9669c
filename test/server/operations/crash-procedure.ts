import { done, type Procedure } from '../../../domain/ports/procedures.ts'
import { count } from './work-bench.ts'

/** The points at which a test kills the process while it moves a crate, in the order of the move. */
export const points = [
  'begun',
  'pick: started',
  'pick: in its end',
  'pick: ended',
  'carry: started',
  'carry: in box 0',
  'carry: box 0 saved',
  'carry: in box 2',
  'carry: box 2 saved',
  'carry: in its end',
  'carry: ended',
  'place: started',
  'place: in its end',
  'place: ended',
] as const

export type Point = (typeof points)[number]

const boxes = 3

/** Returns the tallies of a complete move, keyed by effect: each effect has happened once. */
export const effectsOf = (crate: string): Record<string, number> =>
  Object.fromEntries(
    ['picked', 'box 0', 'box 1', 'box 2', 'carried', 'placed'].map(name => [`${crate} ${name}`, 1] as const),
  )

/**
 * Returns a procedure that moves a crate in three steps; the second step saves a checkpoint after each box. `at` is
 * called at each point.
 */
export function move(at: (point: Point) => void): Procedure<{ readonly crate: string }, number> {
  return {
    kind: 'sample.move',
    steps: [
      {
        name: 'pick',
        run: async ({ input }) => {
          at('pick: started')
          return ending('pick', `${input.crate} picked`, at)
        },
      },
      {
        name: 'carry',
        run: async ({ checkpoint = 0, input, progress, save }) => {
          at('carry: started')
          for (let box = checkpoint; box < boxes; box += 1) {
            progress((100 * box) / boxes)
            await save(box + 1, async tx => {
              await count(tx, `${input.crate} box ${box}`)
              if (box !== 1) at(box === 0 ? 'carry: in box 0' : 'carry: in box 2')
            })
            if (box !== 1) at(box === 0 ? 'carry: box 0 saved' : 'carry: box 2 saved')
          }
          return ending('carry', `${input.crate} carried`, at)
        },
      },
      {
        name: 'place',
        run: async ({ input }) => {
          at('place: started')
          return ending('place', `${input.crate} placed`, at)
        },
      },
    ],
  }
}

const ending = (
  step: 'pick' | 'carry' | 'place',
  effect: string,
  at: (point: Point) => void,
): ReturnType<typeof done> =>
  done(async tx => {
    await count(tx, effect)
    at(`${step}: in its end`)
    tx.afterCommit(() => at(`${step}: ended`))
  })
