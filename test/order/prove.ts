import { callSpoiled, type Spoiled } from './spoiled-call.ts'
import { faultOf, memberEtagFault, strayTagFault } from './generic-faults.ts'
import type { Mutation } from './operations.ts'
import { pairsOf, type Pair } from './pairs.ts'
import { pendingSteps } from './pending.ts'
import type { AreaRecipes, Fault, Recipe } from './recipe.ts'
import { numberOf, pairName, type PairName, type StepName } from './step.ts'
import { stepsOf } from './steps.ts'
import type { World } from './world.ts'

/** The result of one pair of an operation. */
export interface Verdict {
  readonly area: string
  readonly operationId: string
  readonly pair: PairName
  /** The reason why no call made the pair; undefined for a pair that was made. */
  readonly unmade: string | undefined
}

/** The result of an operation: the verdict of each pair, and the faults. */
export interface Proof {
  readonly verdicts: readonly Verdict[]
  /** The differences from the expected results, for people; empty for an operation that keeps the order. */
  readonly faults: readonly string[]
}

/** The reason why pairs of an operation that is not built are not made. */
export const notBuilt = 'the operation is not built'

/** The reason why pairs with a pending step are not made. */
const notThere = 'no call takes the step yet'

/**
 * Makes a call for each pair of faults that an operation can have, and a call with each fault alone, which proves that
 * the fault itself works. Returns the verdicts and the faults.
 */
export async function prove(world: World, mutation: Mutation, area: AreaRecipes): Promise<Proof> {
  const { isBuilt, operation } = mutation
  const recipe = isBuilt ? area.operations[operation.id] : undefined
  const steps = stepsOf(mutation, area, recipe)
  const pairs = isBuilt ? pairsOf(steps, recipe) : unbuiltPairs(steps)
  const proving = new Proving(world, mutation, recipe)
  if (recipe !== undefined) await proving.sound()
  if (recipe !== undefined) proving.listed(recipe, pairs)
  for (const step of new Set(pairs.filter(isMade).flatMap(({ earlier, later }) => [earlier, later]))) {
    await proving.alone(step)
  }
  await proving.otherwise('etag', memberEtagFault(mutation))
  await proving.otherwise('form', strayTagFault(mutation))
  for (const pair of pairs) await proving.together(pair)
  const faults = [...proving.faults, ...needless(recipe, pairs)]
  return { verdicts: proving.verdicts, faults }
}

const isMade = ({ unmade }: Pair): boolean => unmade === undefined

/**
 * Returns the pairs of an operation that is not built. Its calls only pass the steps up to the check of the request, so
 * all other pairs are unmade.
 */
function unbuiltPairs(steps: readonly StepName[]): readonly Pair[] {
  const taken = steps.filter(step => numberOf(step) <= numberOf('mask') && step !== 'replay' && step !== 'seal')
  const made = pairsOf(taken)
  const names = new Set(made.map(({ earlier, later }) => pairName(earlier, later)))
  const others = pairsOf(steps).filter(({ earlier, later }) => !names.has(pairName(earlier, later)))
  return [...made, ...others.map(pair => ({ ...pair, unmade: notBuilt }))]
}

/** Returns a line for each reason in a recipe whose step or pair the operation does not have. */
function needless({ atOdds = {}, unmade = {} }: Partial<Recipe> = {}, pairs: readonly Pair[]): readonly string[] {
  const known = new Set<string>(pairs.flatMap(each => [each.earlier, each.later, pairName(each.earlier, each.later)]))
  return Object.keys({ ...unmade, ...atOdds })
    .filter(name => !known.has(name))
    .map(name => `${name} is listed as not made, and the operation does not have it`)
}

class Proving {
  readonly verdicts: Verdict[] = []
  readonly faults: string[] = []
  readonly #world: World
  readonly #mutation: Mutation
  readonly #recipe: Recipe | undefined

  constructor(world: World, mutation: Mutation, recipe: Recipe | undefined) {
    this.#world = world
    this.#mutation = mutation
    this.#recipe = recipe
  }

  /** Checks that the call without a fault succeeds. */
  async sound(): Promise<void> {
    const answer = await this.#attempt()
    if (answer !== 'OK') this.faults.push(`without a fault it answers ${answer}`)
  }

  /** Checks that the response to a call with the fault of one step is this fault. */
  async alone(step: StepName): Promise<void> {
    const spoiled = this.#spoiled(step)
    if (spoiled) this.#compare(`${step} alone`, spoiled, await this.#attempt(spoiled))
  }

  /** Checks that the response to a call with another fault of a step is this fault. */
  async otherwise(step: StepName, fault: Fault | undefined): Promise<void> {
    const isServed = this.#mutation.isBuilt ? this.#recipe !== undefined : step === 'form'
    if (!fault || !isServed || this.#recipe?.unmade?.[step] !== undefined) return
    const spoiled = { step, fault }
    this.#compare(`${step} in another form`, spoiled, await this.#attempt(spoiled))
  }

  /** Records the verdict of a pair, and checks that the response to a call with both faults is the earlier fault. */
  async together({ earlier, later, unmade }: Pair): Promise<void> {
    const pair = pairName(earlier, later)
    const { area, operation } = this.#mutation
    const [first, second] = [this.#spoiled(earlier), this.#spoiled(later)]
    const isPending = pendingSteps.has(earlier) || pendingSteps.has(later)
    const reason = unmade ?? (isPending ? notThere : undefined)
    this.verdicts.push({ area, operationId: operation.id, pair, unmade: reason })
    if (unmade === notBuilt) return
    if (unmade === undefined) {
      const missing = first ? later : earlier
      if (first && second) this.#compare(pair, first, await this.#attempt(first, second))
      else this.faults.push(`${pair} is neither made nor listed: nothing makes ${missing}`)
    }
  }

  /** Checks that a step listed as unmade has no fault, and that both steps of a pair at odds have a fault. */
  listed({ atOdds = {}, unmade = {} }: Recipe, pairs: readonly Pair[]): void {
    const isMade = (step: StepName): boolean => this.#spoiled(step) !== undefined
    const steps = new Set(pairs.flatMap(({ earlier, later }) => [earlier, later]))
    const contrary = new Set(
      pairs
        .filter(({ earlier, later }) => atOdds[pairName(earlier, later)] !== undefined)
        .flatMap(({ earlier, later }) => [earlier, later]),
    )
    for (const step of steps) {
      if (unmade[step] !== undefined && isMade(step)) {
        this.faults.push(`${step} is listed as not made, and there is a fault for it`)
      }
      if (contrary.has(step) && !isMade(step)) {
        this.faults.push(`${step} is said to be at odds with another step, and nothing makes it`)
      }
    }
  }

  #compare(what: string, { fault: { reason }, step }: Spoiled, answer: string): void {
    if (pendingSteps.has(step)) {
      if (answer === reason) this.faults.push(`${what} answers as it should: take ${step} out of pending.ts`)
    } else if (answer !== reason) this.faults.push(`${what} answers ${answer} instead of ${reason}`)
  }

  #spoiled(step: StepName): Spoiled | undefined {
    const fault = faultOf(step, this.#mutation, this.#recipe)
    return fault && { step, fault }
  }

  async #attempt(...spoiled: readonly Spoiled[]): Promise<string> {
    try {
      return await callSpoiled(this.#world, this.#mutation, this.#recipe, spoiled)
    } catch (error) {
      return `nothing, since it cannot be prepared (${String(error)}),`
    }
  }
}
