import type { JsonObject } from '../../generator/conform/json.ts'
import type { Aim } from './aim.ts'
import type { Fault, Recipe } from './recipe.ts'
import type { World } from './world.ts'

/** The calls of a resource, beyond those that all resources share. */
export interface ResourceCall extends Omit<Recipe, 'aim'> {
  /** Verbs that are called before, so that this one may be. */
  readonly before?: readonly string[]
  readonly body?: JsonObject
}

/** A resource that is made in a collection, and then called by its id. */
export interface Resource {
  /** As the ids of its operations end: `Vpc` of `createVpc`. */
  readonly noun: string
  /** Where areas have operations of these ids alike: the name of the area. */
  readonly area?: string
  /** The path of a new collection; by default in a new workspace, in the native engine. */
  readonly at?: (world: World) => Promise<Aim['path']>
  /** The body of a create, with a new name. */
  readonly body: (world: World, path: Aim['path']) => JsonObject | Promise<JsonObject>
  /** The recipes by verb: `create`, `update`, `delete` and the state verbs of the resource. */
  readonly calls: Readonly<Record<string, ResourceCall>>
}

/** A recipe for each call of a resource. */
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

/** Makes one; answers its path. */
export async function newResource(resource: Resource, world: World): Promise<Aim['path']> {
  const { at = inWorkspace, body } = resource
  const path = await at(world)
  return { ...path, id: await world.run(idOf(resource, 'create'), { path, body: await body(world, path) }) }
}

const idOf = ({ area, noun }: Resource, verb: string): string => `${area === undefined ? '' : `${area}.`}${verb}${noun}`

/** The thing that is called is where it was after another call about it: the same one, or its opposite. */
export const after = (operationId: string, reason: string): Fault => ({
  reason,
  async apply(aim, { run }) {
    await run(operationId, { path: aim.path })
    return aim
  },
})
