import { texts } from '../read/located.ts'
import type { Located } from '../read/types.ts'
import { groupName, Names, pascal, spelling } from './names.ts'
import type { Group, NamedSchema, Operation } from './types.ts'

/** Returns the first tag of an operation; undefined for an operation without tags. */
export const tagOf = (operation: Located): string | undefined => texts(operation, 'tags')[0]

/**
 * Returns the names of a document's groups, keyed by tag. Operations without a tag belong to a group with the name of
 * the document.
 */
export function groupNames(
  document: string,
  tags: readonly (string | undefined)[],
): ReadonlyMap<string | undefined, string> {
  const names = new Names()
  return new Map(
    [...new Set(tags)].map(tag => [tag, names.claim(groupName(tag ?? document), spelling(tag ?? document))]),
  )
}

/**
 * Groups operations by tag, in the order in which the tags first appear. A handler interface is named after the schema
 * of the tag's resource (for `quotaOverrides`, the schema whose resource type ends in `.quotaOverrides`), or after the
 * tag if there is no such schema.
 */
export function groupsOf(
  document: string,
  tagged: readonly (readonly [tag: string | undefined, operation: Operation])[],
  names: ReadonlyMap<string | undefined, string>,
  schemas: readonly NamedSchema[],
): readonly Group[] {
  const byTag = Map.groupBy(tagged, ([tag]) => tag)
  const interfaces = new Names([`${pascal(document)}Handlers`])
  return [...byTag].map(([tag, members]) => {
    const words = pascal(tag ?? document)
    const resource = tag === undefined ? undefined : resourceSchema(tag, document, schemas)
    return {
      name: names.get(tag) ?? words,
      interfaceName: interfaces.claim(`${resource?.name ?? words}Handlers`, `${words}OperationHandlers`),
      operations: members.map(([, operation]) => operation),
    }
  })
}

/**
 * Returns the schema of a tag's resource; undefined if there is none. A schema of the document itself has precedence
 * over a shared schema.
 */
function resourceSchema(tag: string, document: string, schemas: readonly NamedSchema[]): NamedSchema | undefined {
  const found = schemas.filter(({ resource }) => resource?.type.endsWith(`.${tag}`))
  return found.find(schema => schema.document === document) ?? found[0]
}
