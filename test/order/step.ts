/**
 * The checks of conventions §4 in their order. Checks of one number that have an order of their own are steps of their own:
 * the engine and then the seal of the vault, the schema and then the mask and then rules with a reason of their own, the
 * workspace and then the parents and then the thing.
 */
const numbers = {
  route: 1,
  authentication: 2,
  /** A key that was used before is looked up ahead of the authorization at the scope of a row. */
  replay: 2.5,
  authorization: 3,
  engine: 4,
  seal: 4.5,
  form: 5,
  mask: 5.3,
  rule: 5.6,
  idempotency: 6,
  existence: 7,
  immutable: 8,
  etag: 9,
  workspace: 10,
  state: 11,
  reference: 12,
  uniqueness: 13,
  quota: 14,
  capacity: 15,
} as const

type Numbered = keyof typeof numbers

/** A step of the order. The resources in a path are checked one after the other, so each of them is a step. */
export type StepName = Exclude<Numbered, 'existence'> | `existence of ${string}`

/** Two steps, the earlier one first. */
export type PairName = `${StepName}>${StepName}`

export const pairName = (earlier: StepName, later: StepName): PairName => `${earlier}>${later}`

const isExistence = (step: string): step is `existence of ${string}` => step.startsWith('existence of ')

/** Whether a text names a step. */
export const isStep = (name: string): name is StepName => isExistence(name) || Object.hasOwn(numbers, name)

/** Where a step stands; all existences stand at the same place, in the order in which they are named. */
export const numberOf = (step: StepName): number => (isExistence(step) ? numbers.existence : numbers[step])

/** Each step once, in order; existences keep the order in which they were given. */
export const inOrder = (steps: Iterable<StepName>): readonly StepName[] =>
  [...new Set(steps)].toSorted((one, other) => numberOf(one) - numberOf(other))
