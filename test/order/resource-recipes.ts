import type { JsonObject } from '../../generator/conform/json.ts'
import type { Aim } from './aim.ts'
import type { Fault, Recipe } from './recipe.ts'
import type { World } from './world.ts'

/** The parts of a resource's call that differ from those of other resources. */
export interface ResourceCall extends Omit<Recipe, 'aim'> {
  /** The verbs that must run before this call, in order. */
  readonly before?: readonly string[]
  readonly body?: JsonObject
}

/** A resource that is created in a collection, and then called by its id. */
export interface Resource {
  /** The end of the ids of the resource's operations: `Vpc` of `createVpc`. */
  readonly noun: string
  /** The name of the area; needed if several areas have operations of these ids. */
  readonly area?: string
  /** Returns the path of a new collection; by default in a new workspace, in the native engine. */
  readonly at?: (world: World) => Promise<Aim['path']>
  /** Returns the body of a create, with a new name. */
  readonly body: (world: World, path: Aim['path']) => JsonObject | Promise<JsonObject>
  /** The parts of calls, keyed by verb: `create`, `update`, `delete` and the state verbs of the resource. */
  readonly calls: Readonly<Record<string, ResourceCall>>
}

/** Returns a recipe for each call of a resource, keyed by operationId. */
export function resourceRecipes(resource: Resource): Readonly<Record<string, Recipe>> {
  const { calls, noun } = resource
  return Object.fromEntries(
    Object.entries(calls).map(([verb, { before, body, ...rest }]) => [
      verb + noun,
      { ...rest, aim: verb === 'create' ? creating(resource) : calling(resource, before, body) },
    ]),
  )
}

const inWorkspace: NonNullable<Resource['at']> = async ({ newPlace }) => ({
  workspace: (await newPlace()).workspace,
  engine: 'native',
})

const creating =
  ({ at = inWorkspace, body }: Resource): Recipe['aim'] =>
  async world => {
    const path = await at(world)
    return { path, body: await body(world, path) }
  }

const calling =
  (resource: Resource, before: readonly string[] = [], body: JsonObject = {}): Recipe['aim'] =>
  async world => {
    const path = await newResource(resource, world)
    for (const verb of before) await world.run(idOf(resource, verb), { path })
    return { path, body }
  }

/** Creates a resource; returns its path. */
export async function newResource(resource: Resource, world: World): Promise<Aim['path']> {
  const { at = inWorkspace, body } = resource
  const path = await at(world)
  return { ...path, id: await world.run(idOf(resource, 'create'), { path, body: await body(world, path) }) }
}

const idOf = ({ area, noun }: Resource, verb: string): string => `${area === undefined ? '' : `${area}.`}${verb}${noun}`

/**
 * Makes the fault that another call, such as the same verb or its opposite, has already changed the state of the
 * resource.
 */
export const after = (operationId: string, reason: string): Fault => ({
  reason,
  async apply(aim, { run }) {
    await run(operationId, { path: aim.path })
    return aim
  },
})
