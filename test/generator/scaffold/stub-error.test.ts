import { expect, test } from 'vitest'
import { toldError } from '../../../runtime/outcome.ts'
import { errorAnswer } from '../../../runtime/status.ts'
import { unimplemented } from '../../../runtime/errors.ts'
import type { Route } from '../../../runtime/route.ts'

test('an operation whose handler is a stub responds with 501, whatever reasons it declares', () => {
  const route: Route<unknown, unknown> = {
    operationId: 'startVm',
    method: 'POST',
    path: ['/vms'],
    success: [{ status: 200 }],
    domain: { name: 'compute', base: 1_000_000 },
    raises: ['VM_NOT_FOUND'],
    check: (request): request is unknown => request !== undefined,
  }
  const answer = errorAnswer(toldError(unimplemented('startVm'), route, 'trace'), route.domain, undefined)
  expect(answer.status).toBe(501)
  expect(JSON.parse(String(answer.body))).toEqual({
    code: 12,
    message: 'operation "startVm" is not implemented yet',
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'NOT_IMPLEMENTED',
        domain: 'compute',
        metadata: {},
      },
    ],
  })
})
