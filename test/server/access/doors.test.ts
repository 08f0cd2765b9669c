import { expect, it } from 'vitest'
import type { Decision, Decisions, Question } from '../../../domain/iam/interfaces/decisions.ts'
import type { Store } from '../../../domain/ports/store.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { iamDoors } from '../../../server/access/doors.ts'
import { allRoutes } from '../iam/all-routes.ts'

const workspace = '01900000-0000-7000-8000-0000000000ff'
const path = { get: (name: string) => (name === 'workspace' ? workspace : undefined) }
const started = Date.parse('2026-05-01T12:00:00Z')

const context: CallContext = {
  principal: { id: '01900000-0000-7000-8000-000000000001', kind: 'user' },
  method: 'POST',
  path: '',
  requestId: '',
  traceId: '',
  idempotencyKey: undefined,
  clientAddress: '192.0.2.1',
  signal: new AbortController().signal,
  now: started,
}

const never = async (): Promise<never> => {
  throw new Error('the doors called a part that they must not use')
}

/** Makes doors with a clock that the test sets, and records the questions to the decisions. */
function doorsAt(time: { now: number }) {
  const asked: Question[] = []
  const granted: Decision = { reason: 'GRANTED', bindingIds: [], policyId: '' }
  const decisions: Decisions = {
    async decide(question) {
      asked.push(question)
      return granted
    },
    visible: never,
    hangsOnResource: async () => false,
    isActive: async () => true,
    chain: async scope => [scope],
  }
  const store = {} as Store
  const parts = { store, decisions, now: () => time.now, authenticate: never, requireLive: async () => {} }
  return { asked, doors: iamDoors({ ...parts, requireFresh: () => {} }, {}) }
}

const routes = allRoutes().filter(({ access, body, path: parts }) => {
  const isDecided = access?.kind === 'permission' && access.scope === 'path' && parts.includes('workspace')
  return isDecided && body !== undefined
})

it.each(routes.map(route => [`${route.domain.name} ${route.operationId}`, route] as const))(
  '%s is decided by the time at which its body has arrived',
  async (_, route) => {
    const time = { now: started }
    const { asked, doors } = doorsAt(time)
    await doors.authorize(context, route, path)
    time.now += 60_000
    await doors.authorizeRequest?.(context, route, path, { body: { name: 'late' } })
    expect(asked.map(({ circumstances }) => circumstances.now)).toEqual([started, started + 60_000])
    // If the clock has been set back, the decision uses the time at which the request began.
    time.now = started - 60_000
    await doors.authorizeRequest?.(context, route, path, { body: {} })
    expect(asked.at(-1)?.circumstances.now).toBe(started)
  },
)
