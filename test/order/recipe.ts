import type { Aim } from './aim.ts'
import type { PairName, StepName } from './step.ts'
import type { World } from './world.ts'

/** A fault of a call, or of the rows that the call uses. */
export interface Fault {
  /** The reason of the response if this is the only fault. */
  readonly reason: string
  /** Changes rows of the world, or the call; returns the call. */
  readonly apply: (aim: Aim, world: World) => Aim | Promise<Aim>
}

/** The parts of a call of one operation, and the faults that do not follow from its document. */
export interface Recipe {
  /**
   * Creates the resources of a call, new for each call, and returns the parts of a successful call. The default caller
   * is the administrator, and the default body is the example of the document.
   */
  readonly aim: (world: World) => Promise<Partial<Aim>>
  /**
   * The faults, keyed by step; a step with a fault belongs to the operation. `generic-faults.ts` makes the faults that
   * follow from the document.
   */
  readonly faults?: { readonly [Step in StepName]?: Fault }
  /** The names of absent resources in the path, keyed by parameter; by default an unused UUID. */
  readonly absent?: Readonly<Record<string, string>>
  /** The reasons why no call can have the fault of a step, keyed by step; such a step must have no fault. */
  readonly unmade?: Readonly<Partial<Record<StepName, string>>>
  /**
   * The reasons why no call can have the faults of both steps of a pair, keyed by pair; each of these steps must have a
   * fault.
   */
  readonly atOdds?: Readonly<Partial<Record<PairName, string>>>
}

/** The recipes of an area; each `recipes/<area>.ts` exports its recipes as `recipes`. */
export interface AreaRecipes {
  /** The recipes, keyed by operationId. */
  readonly operations: Readonly<Record<string, Recipe>>
  /**
   * The steps of the reasons for which the rules in `reasons.ts` would find another step, keyed by `REASON` or
   * `operationId.REASON`.
   */
  readonly reasons?: Readonly<Record<string, StepName>>
}
