import type { Document } from '../../generator/model/types.ts'
import type { AreaModule } from '../area.ts'

/** The ids of the built and of the remaining operations of one resource, in the order of the document. */
export interface ResourceStatus {
  readonly resource: string
  readonly built: readonly string[]
  /** The ids of the operations that answer UNIMPLEMENTED. */
  readonly left: readonly string[]
}

/** The status of the resources of one area. */
export interface AreaStatus {
  readonly area: string
  readonly resources: readonly ResourceStatus[]
}

/** The inputs of an area's status: its mounted resources, its document, and the stubs in its handwritten code. */
export interface AreaSources {
  readonly area: Pick<AreaModule, 'built'>
  readonly document: Pick<Document, 'name' | 'groups'>
  /** The ids of operations whose handler is a stub. */
  readonly stubs: ReadonlySet<string>
}

/** Returns the status of an area. The operations of its mounted resources are built, except stubs. */
export function statusOf({ area: { built }, document: { name, groups }, stubs }: AreaSources): AreaStatus {
  const resources = groups.map(group => {
    const isMounted = built === undefined || built.includes(group.name)
    const ids = group.operations.map(({ id }) => id)
    const isBuilt = (id: string): boolean => isMounted && !stubs.has(id)
    return { resource: group.name, built: ids.filter(isBuilt), left: ids.filter(id => !isBuilt(id)) }
  })
  return { area: name, resources }
}
