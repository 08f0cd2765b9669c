import { JsonText } from '../../runtime/json.ts'

/** The text of a value. */
export const jsonText = <T extends object>(value: T): JsonText<T> => new JsonText(JSON.stringify(value))

/** Text of an object with more members than a store kept of it; they must not be there already. Nothing is parsed. */
export function withMembers<T extends object, More extends object>(
  text: JsonText<T>,
  more: More | JsonText<More>,
): JsonText<T & More> {
  const rest = (more instanceof JsonText ? more.text : JSON.stringify(more)).slice(1)
  return new JsonText(rest === '}' ? text.text : `${text.text.slice(0, -1)}${text.text === '{}' ? '' : ','}${rest}`)
}
