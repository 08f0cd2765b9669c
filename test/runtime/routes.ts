import { toPath } from '../../runtime/parameters/write.ts'
import type { ClientRoute, Method, Rules } from '../../runtime/route.ts'

/** The members of an operation for clients and servers. */
export type MadeRoute<Request, Result> = ClientRoute<Request, Result> & Rules<Request>

/** Returns a route in the form of generated code, with text parameters in its path; clients do not use its check. */
export function route<Request extends object, Result>(
  method: Method,
  path: readonly string[],
  more: Partial<Omit<MadeRoute<Request, Result>, 'complete'>> = {},
): MadeRoute<Request, Result> {
  return {
    operationId: 'madeOperation',
    method,
    path,
    parameters: path
      .filter((_, index) => index % 2 === 1)
      .map(name => ({ name, in: 'path', type: 'string', write: toPath })),
    success: [{ status: 200, type: 'application/json', kind: 'json' }],
    domain: { name: 'made', base: 7_000_000 },
    check: (request): request is Request => typeof request === 'object',
    ...more,
  }
}
