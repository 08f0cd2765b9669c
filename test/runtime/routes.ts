import type { Method, Route } from '../../runtime/route.ts'

/** A route of a made document, as generated code would hold it; what it checks is not asked by clients. */
export function route<Request extends object, Result>(
  method: Method,
  path: readonly string[],
  more: Partial<Omit<Route<Request, Result>, 'complete'>> = {},
): Route<Request, Result> {
  return {
    operationId: 'madeOperation',
    method,
    path,
    success: [{ status: 200, type: 'application/json', kind: 'json' }],
    domain: { name: 'made', base: 7_000_000 },
    check: (request): request is Request => typeof request === 'object',
    ...more,
  }
}
