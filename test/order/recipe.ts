import type { Aim } from './aim.ts'
import type { PairName, StepName } from './step.ts'
import type { World } from './world.ts'

/** A fault of a call, or of the rows that it uses. */
export interface Fault {
  /** The answer to the call if this is the only fault. */
  readonly reason: string
  /** Spoils the world or the call; the answer is the call. */
  readonly apply: (aim: Aim, world: World) => Aim | Promise<Aim>
}

/** The parts of a call of one operation, and its faults beyond those of its document. */
export interface Recipe {
  /**
   * Creates the resources of a call, new for each call, and returns the parts of a successful call. Left out are the
   * administrator as caller, and the example of the document as body.
   */
  readonly aim: (world: World) => Promise<Partial<Aim>>
  /**
   * By step; where there is one, the operation has the step. `generic-faults.ts` makes the faults that follow from the
   * document.
   */
  readonly faults?: { readonly [Step in StepName]?: Fault }
  /** The names of absent resources in the path, by parameter; by default an unused UUID. */
  readonly absent?: Readonly<Record<string, string>>
  /** Why nothing makes the fault of a step; there must be none then. */
  readonly unmade?: Readonly<Partial<Record<StepName, string>>>
  /** Why no call meets both faults of two steps, each of which can be made. */
  readonly atOdds?: Readonly<Partial<Record<PairName, string>>>
}

/** The recipes of an area; `recipes/<area>.ts` exports them as `recipes`. */
export interface AreaRecipes {
  /** The recipes by operationId. */
  readonly operations: Readonly<Record<string, Recipe>>
  /** The steps of reasons, as `REASON` or `operationId.REASON`, whose names tell another one (`reasons.ts`). */
  readonly reasons?: Readonly<Record<string, StepName>>
}
