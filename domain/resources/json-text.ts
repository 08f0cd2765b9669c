import { JsonText } from '../../runtime/json.ts'

/** Returns the JSON text of a value. */
export const jsonText = <T extends object>(value: T): JsonText<T> => new JsonText(JSON.stringify(value))

/**
 * Returns the text of a stored object with members appended, without parsing the text. The object must not have the
 * members already.
 */
export function withMembers<T extends object, More extends object>(
  text: JsonText<T>,
  more: More | JsonText<More>,
): JsonText<T & More> {
  const rest = (more instanceof JsonText ? more.text : JSON.stringify(more)).slice(1)
  return new JsonText(rest === '}' ? text.text : `${text.text.slice(0, -1)}${text.text === '{}' ? '' : ','}${rest}`)
}
