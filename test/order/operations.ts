import { join } from 'node:path'
import type { Schemas } from '../../generator/conform/shape.ts'
import type { Document, Operation } from '../../generator/model/types.ts'
import { areas } from '../../server/areas.ts'
import { readDocuments } from '../../server/specs/documents.ts'
import { stubsIn } from '../../server/status/sources.ts'
import { statusOf } from '../../server/status/status.ts'

/** A mutation with the facts of its document. */
export interface Mutation {
  readonly area: string
  readonly document: Document
  readonly operation: Operation
  /**
   * True if the operation is built; otherwise it responds UNIMPLEMENTED after the checks of its request. `ninefold
   * status` uses the same count.
   */
  readonly isBuilt: boolean
  /** The schemas of all documents. */
  readonly schemas: Schemas
  /** The rpc of every declared reason, keyed by `area.REASON`; undefined for a reason that only operations mention. */
  readonly rpcs: ReadonlyMap<string, string | undefined>
}

/** Returns every mutation of every area, in the order in which the server mounts the areas. */
export async function allMutations(): Promise<readonly Mutation[]> {
  const documents = await readDocuments(['common', ...areas.map(({ domain }) => domain.name)])
  const all = [...documents.values()]
  const schemas: Schemas = new Map(all.flatMap(each => each.schemas.map(schema => [schema.id, schema] as const)))
  const rpcs = new Map(
    all.flatMap(({ errors, name }) => errors.map(({ reason, rpc }) => [`${name}.${reason}`, rpc] as const)),
  )
  return areas.flatMap(area => {
    const { name } = area.domain
    const document = documents.get(name)
    if (document === undefined) throw new Error(`specs/${name}.yaml is missing`)
    const stubs = stubsIn(join(import.meta.dirname, '../../domain', name))
    const left = new Set(statusOf({ area, document, stubs }).resources.flatMap(resource => resource.left))
    const mutations = document.operations.filter(({ mode }) => mode === 'sync' || mode === 'async')
    return mutations.map(operation => {
      return { area: name, document, operation, isBuilt: !left.has(operation.id), schemas, rpcs }
    })
  })
}
