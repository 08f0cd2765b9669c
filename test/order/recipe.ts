import type { Aim } from './aim.ts'
import type { PairName, StepName } from './step.ts'
import type { World } from './world.ts'

/** What is wrong with a call, or with what it meets. */
export interface Fault {
  /** What the call is answered when this alone is wrong. */
  readonly reason: string
  /** Spoils the world or the call; the answer is the call. */
  readonly apply: (aim: Aim, world: World) => Aim | Promise<Aim>
}

/** How one operation is called, and what can be wrong with it beyond what its document tells. */
export interface Recipe {
  /**
   * Makes what the call needs, new for each call, and answers the parts of a call that succeeds. Left out are the
   * administrator as caller, and the example of the document as body.
   */
  readonly aim: (world: World) => Promise<Partial<Aim>>
  /** By step; where there is one, the operation has the step. What the document tells is made by `generic-faults.ts`. */
  readonly faults?: { readonly [Step in StepName]?: Fault }
  /** What an absent thing is called in the path, by parameter; a UUID that nothing has unless it is said here. */
  readonly absent?: Readonly<Record<string, string>>
  /** Why nothing makes the fault of a step; there must be none then. */
  readonly unmade?: Readonly<Partial<Record<StepName, string>>>
  /** Why no call meets both faults of two steps, each of which can be made. */
  readonly atOdds?: Readonly<Partial<Record<PairName, string>>>
}

/** What an area contributes; `recipes/<area>.ts` exports it as `recipes`. */
export interface AreaRecipes {
  /** By operationId. */
  readonly operations: Readonly<Record<string, Recipe>>
  /** The steps of reasons, as `REASON` or `operationId.REASON`, whose names tell another one (`reasons.ts`). */
  readonly reasons?: Readonly<Record<string, StepName>>
}
