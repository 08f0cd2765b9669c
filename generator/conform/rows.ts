import type { Json, Operation } from '../model/types.ts'
import type { HttpAnswer } from './call.ts'
import { type Draft, withParameter } from './draft.ts'
import { isObject, memberOf, parsed } from './json.ts'
import type { Probe } from './probe.ts'
import { type Subject, validDraft } from './subject.ts'

/**
 * Aims a draft at an existing row of a list: for `/quotas/{id}`, at the first row of `/quotas`. Returns undefined if
 * there is no path parameter, no list or no row. Use the draft only for reading, because the walk must not change rows
 * that belong to others.
 */
export async function rowDraft(draft: Draft, subject: Subject, probe: Probe): Promise<Draft | undefined> {
  const { operation } = subject
  const found: Json[] = []
  for (let i = 1; i < operation.pathParts.length; i += 2) {
    const list = listAt(operation.pathParts.slice(0, i), subject)
    const rows = list && (await rowsOf(list, found, subject, probe))
    const value = rows && keyOf(rows, operation.pathParts[i] ?? '')
    if (value === undefined) return undefined
    found.push(value)
  }
  return found.length === 0 ? undefined : aimed(draft, found)
}

/** Returns a copy of a draft whose path parameters have the given values, in the order of the path. */
function aimed(draft: Draft, values: readonly Json[]): Draft {
  const { parameters, pathParts } = draft.operation
  return values.reduce<Draft>((aim, value, i) => {
    const parameter = parameters.find(({ in: place, name }) => place === 'path' && name === pathParts[2 * i + 1])
    return parameter ? withParameter(aim, parameter, value) : aim
  }, draft)
}

/**
 * Returns the GET operation whose path has the given fixed parts; undefined if no operation has these parts. The names
 * of parameters and a final slash do not count.
 */
function listAt(parts: readonly string[], { document }: Subject): Operation | undefined {
  const wanted = [...parts.slice(0, -1), (parts.at(-1) ?? '').replace(/\/$/, '')]
  return document.operations.find(
    ({ method, pathParts }) =>
      method === 'GET' &&
      pathParts.length === wanted.length &&
      pathParts.every((part, i) => i % 2 === 1 || part === wanted[i]),
  )
}

async function rowsOf(
  list: Operation,
  found: readonly Json[],
  subject: Subject,
  probe: Probe,
): Promise<HttpAnswer | undefined> {
  const draft = validDraft({ ...subject, operation: list })
  return draft && probe.peek(aimed(draft, found))
}

/**
 * Returns the key of the first row: the member with the name of the parameter, else the id or name of the row. Returns
 * undefined without a row or key.
 */
function keyOf({ body, status }: HttpAnswer, parameter: string): Json | undefined {
  if (status >= 300) return undefined
  const value = parsed(body)?.value
  const rows: unknown = isObject(value) ? Object.values(value).find(Array.isArray) : value
  const row: unknown = Array.isArray(rows) ? rows[0] : undefined
  if (!isObject(row)) return undefined
  const keys = [parameter, 'id', 'name'].map(name => memberOf(row, name))
  return keys.find((key): key is string | number => typeof key === 'number' || (typeof key === 'string' && key !== ''))
}
