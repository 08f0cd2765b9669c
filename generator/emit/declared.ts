import type { Document } from '../model/types.ts'
import { areaTypes, checkName, clientName, completeName, fieldsName, pascal, placesName, valuesName } from './names.ts'

/** Returns the type names of a document: those of its schemas and its requests. */
const typeNames = ({ operations, schemas }: Document): readonly string[] => [
  ...schemas.flatMap(({ parsedName, views }) => [...Object.values(views), parsedName]),
  ...operations.flatMap(({ parsedRequestName, requestName }) => [requestName, parsedRequestName]),
]

/** Returns the names that validators.ts may declare for the types and schemas of a document. */
const validatorNames = (document: Document): readonly string[] => [
  ...typeNames(document).flatMap(name => [checkName(name), completeName(name)]),
  ...document.schemas.map(({ views }) => fieldsName(views.output)),
]

const routeNames = ({ operations }: Document): readonly string[] => operations.map(({ routeName }) => routeName)

const interfaceNames = ({ groups }: Document): readonly string[] => groups.map(({ interfaceName }) => interfaceName)

/**
 * Returns the names that a document determines, independent of imports. Names that only one file declares avoid these
 * names.
 */
export function declared(document: Document): ReadonlySet<string> {
  return new Set([
    ...typeNames(document),
    ...validatorNames(document),
    ...document.schemas.map(({ views }) => valuesName(views.output)),
    ...routeNames(document),
    ...interfaceNames(document),
  ])
}

/** Returns the names that one file of a document declares, as far as imports could clash with them. */
export function declaredIn(part: Part, document: Document): readonly string[] {
  const { name } = document
  switch (part) {
    case 'validators':
      return validatorNames(document)
    case 'handlers':
      return [...interfaceNames(document), `${pascal(name)}Handlers`]
    case 'routes':
      return [...routeNames(document), `${name}Routes`]
    case 'client':
      return [clientName(name)]
    case 'area':
      return [...Object.values(areaTypes(name)), `${name}Area`]
    case 'int64':
      return document.schemas.map(placesName)
    case 'types':
    case 'errors':
    case 'filters':
    case 'permissions':
    case 'servers':
      return []
  }
}

/** A file of a document's output, by the name of its module. */
export type Part =
  | 'types'
  | 'validators'
  | 'handlers'
  | 'routes'
  | 'errors'
  | 'client'
  | 'filters'
  | 'permissions'
  | 'area'
  | 'int64'
  | 'servers'
