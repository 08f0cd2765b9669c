import { objectNameInvalid } from '../../../output/storage/errors.ts'
import type { ApiError } from '../../../runtime/errors.ts'
import { objectNameFault } from '../../resources/object-name-fault.ts'

/** Returns the error of a name in the member `field` of a request; undefined for a valid name. */
export function invalidName(field: string, name: string): ApiError | undefined {
  const description = objectNameFault(name)
  if (description === undefined) return undefined
  return objectNameInvalid(`${field} ${description}`, { badRequest: [{ field, description }] })
}
