import type { Operation } from '../../generator/model/types.ts'
import { isObject } from '../../generator/conform/json.ts'
import { baseUrl } from '../areas/open-platform.ts'
import { lackOf } from '../error-families.ts'
import type { TestPlatform } from '../areas/test-platform.ts'
import type { Aim } from './aim.ts'

/** The result of a call. */
export interface Called {
  /** `OK`, or the reason of the error, or a line about the details that the error lacks. */
  readonly outcome: string
  /** The id of the resource that a mutation concerns. */
  readonly id: string | undefined
}

/** Makes a call, with the Idempotency-Key `key` if present; returns the outcome. */
export async function call(
  platform: Pick<TestPlatform, 'from'>,
  operation: Operation,
  aim: Aim,
  key?: string,
): Promise<Called> {
  const { body, caller, headers, method = operation.method } = aim
  const query = new URLSearchParams(aim.query).toString()
  const answer = await platform.from('192.0.2.7')(`${baseUrl}${pathOf(operation, aim)}${query && `?${query}`}`, {
    method,
    headers: {
      ...(caller && { authorization: `Bearer ${caller.token}` }),
      ...(key !== undefined && { 'idempotency-key': key }),
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  return calledOf(answer)
}

/** Returns the path of a call, with encoded parameters. */
export const pathOf = ({ pathParts }: Operation, { path }: Pick<Aim, 'path'>): string =>
  pathParts.map((part, i) => (i % 2 === 0 ? part : encodeURIComponent(path[part] ?? ''))).join('')

async function calledOf(answer: Response): Promise<Called> {
  const told: unknown = await answer.json()
  const id = text(told, 'resource_id')
  if (answer.ok) return { outcome: 'OK', id }
  const details: unknown = isObject(told) ? told['details'] : undefined
  const [info]: readonly unknown[] = Array.isArray(details) ? details : []
  return { outcome: lackOf(told) ?? text(info, 'reason') ?? `HTTP ${answer.status}`, id }
}

function text(value: unknown, name: string): string | undefined {
  const member = isObject(value) ? value[name] : undefined
  return typeof member === 'string' ? member : undefined
}
