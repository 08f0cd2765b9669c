import { Examples } from '../../generator/conform/example.ts'
import { isJsonObject } from '../../generator/conform/json.ts'
import { validDraft } from '../../generator/conform/subject.ts'
import { absentId } from '../areas/members.ts'
import type { Aim } from './aim.ts'
import type { Mutation } from './operations.ts'
import type { Fault, Recipe } from './recipe.ts'
import { send } from './send.ts'
import { numberOf, type StepName } from './step.ts'
import type { World } from './world.ts'

/** A fault with its step. */
export interface Spoiled {
  readonly step: StepName
  readonly fault: Fault
}

/**
 * Creates the resources of a call, applies every fault, and calls; returns `OK` or the reason. The faults that create
 * rows are applied before the faults that suspend a scope, because a suspended scope admits no creation.
 */
export async function callSpoiled(
  world: World,
  mutation: Mutation,
  recipe: Recipe | undefined,
  spoiled: readonly Spoiled[],
): Promise<string> {
  let aim = await aimOf(world, mutation, recipe)
  for (const { fault } of spoiled.toSorted((one, other) => turnOf(one.step) - turnOf(other.step))) {
    aim = await fault.apply(aim, world)
  }
  return send(world, mutation.operation, aim)
}

/**
 * The steps whose faults change existing rows, in the order in which these faults are applied. The faults of the call
 * itself are applied afterwards, and are independent of each other.
 */
const turns: readonly StepName[] = ['uniqueness', 'quota', 'capacity', 'reference', 'state', 'workspace']

function turnOf(step: StepName): number {
  const turn = turns.indexOf(step)
  return turn === -1 ? turns.length + numberOf(step) : turn
}

async function aimOf(world: World, mutation: Mutation, recipe: Recipe | undefined): Promise<Aim> {
  const whole = { caller: world.admin, path: {}, query: {} }
  const aim = recipe ? { ...whole, ...(await recipe.aim(world)) } : { ...whole, path: somePath(world, mutation) }
  return { ...aim, body: mutation.operation.body && (aim.body ?? exampleBody(mutation)) }
}

/** Returns the path of an operation without a recipe: only its scope exists. */
function somePath({ place }: World, { operation }: Mutation): Aim['path'] {
  const known: Aim['path'] = { ...place, engine: 'native' }
  const names = operation.pathParts.filter((_, i) => i % 2 === 1)
  return Object.fromEntries(names.map(name => [name, known[name] ?? absentId]))
}

function exampleBody({ document, operation, schemas }: Mutation): NonNullable<Aim['body']> {
  const call = (): never => {
    throw new Error('examples are made without a call')
  }
  const examples = new Examples(schemas)
  const body = validDraft({ document, operation, examples, options: {}, call, isStrict: true })?.body
  return isJsonObject(body) ? body : {}
}
