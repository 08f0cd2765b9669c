/**
 * The positions of the steps in the order of conventions §4; a whole number is the number of a check in §4. Parts of
 * one check that also have an order are separate steps: the engine before the seal of the vault, the schema before the
 * mask before rules with their own reason, and the workspace before the parents before the resource.
 */
const numbers = {
  route: 1,
  authentication: 2,
  /** A used key is looked up before the authorization at the scope of a row. */
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

/** A step of the order. The existence of each resource in a path is a separate step. */
export type StepName = Exclude<Numbered, 'existence'> | `existence of ${string}`

/** The name of two steps, the earlier step first. */
export type PairName = `${StepName}>${StepName}`

export const pairName = (earlier: StepName, later: StepName): PairName => `${earlier}>${later}`

const isExistence = (step: string): step is `existence of ${string}` => step.startsWith('existence of ')

/** Returns true if a text names a step. */
export const isStep = (name: string): name is StepName => isExistence(name) || Object.hasOwn(numbers, name)

/** Returns the position of a step; all steps of existence have the same position. */
export const numberOf = (step: StepName): number => (isExistence(step) ? numbers.existence : numbers[step])

/** Returns each step once, in order; the steps of existence keep their given order. */
export const inOrder = (steps: Iterable<StepName>): readonly StepName[] =>
  [...new Set(steps)].toSorted((one, other) => numberOf(one) - numberOf(other))
