import { describe, expect, it } from 'vitest'
import type { Decision, Decisions, Question } from '../../../domain/iam/interfaces/decisions.ts'
import type { Store } from '../../../domain/ports/store.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { iamDoors, type DoorServices } from '../../../server/access/doors.ts'
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

/** The time and the number of applied changes, which a test sets. */
interface Moment {
  now: number
  changes?: number
}

interface Overrides extends Partial<DoorServices> {
  readonly scopes?: Parameters<typeof iamDoors>[1]
  /** Is called during each decision. */
  readonly decided?: () => void
}

/** Makes doors with a clock that the test sets, and records the questions to the decisions. */
function doorsAt(time: Moment, { decided, scopes = {}, ...more }: Overrides = {}) {
  const asked: Question[] = []
  const granted: Decision = { reason: 'GRANTED', bindingIds: [], policyId: '' }
  const decisions: Decisions = {
    async decide(question) {
      asked.push(question)
      decided?.()
      return granted
    },
    visible: never,
    hangsOnResource: async () => false,
    isActive: async () => true,
    chain: async scope => [scope],
    stateOf: never,
  }
  const store = {} as Store
  const parts = { store, decisions, now: () => time.now, authenticate: never, requireLive: async () => {} }
  const fresh = { requireFresh: () => {}, changes: () => time.changes ?? 0 }
  return { asked, time, doors: iamDoors({ ...parts, ...fresh, ...more }, scopes) }
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

describe('a call with a body', () => {
  const [route] = routes
  if (route === undefined) throw new Error('no route has a body')

  it('is decided once if its body has arrived at once', async () => {
    const { asked, doors } = doorsAt({ now: started })
    await doors.authorize(context, route, path)
    await doors.authorizeRequest?.(context, route, path, { body: {} })
    expect(asked).toHaveLength(1)
  })

  it.each<[string, (doors: ReturnType<typeof doorsAt>) => unknown]>([
    ['time has passed', ({ time }) => (time.now += 1)],
    ['access has changed', ({ time }) => (time.changes = 1)],
    ['another call was admitted', ({ doors }) => doors.authorize(context, route, { ...path })],
    ['its request was read before', ({ doors }) => doors.authorizeRequest?.(context, route, path, { body: {} })],
  ])('is decided again if, since its admission, %s', async (_, happen) => {
    const at = doorsAt({ now: started, changes: 0 })
    const { asked, doors } = at
    await doors.authorize(context, route, path)
    await happen(at)
    const before = asked.length
    await doors.authorizeRequest?.(context, route, path, { body: {} })
    expect(asked.length).toBe(before + 1)
  })

  it('is decided again if its scope may be in the body', async () => {
    const found = { scope: { type: 'WORKSPACE', id: workspace }, told: { type: 'WORKSPACE', id: workspace } } as const
    const scopes = { [route.domain.name]: { [route.operationId]: async () => found } }
    const { asked, doors } = doorsAt({ now: started }, { scopes })
    await doors.authorize(context, route, path)
    await doors.authorizeRequest?.(context, route, path, { body: {} })
    expect(asked).toHaveLength(2)
  })

  it('is refused if its token was revoked before the decision was over', async () => {
    const time = { now: started, changes: 0 }
    const { doors } = doorsAt(time, {
      decided: () => (time.changes += 1),
      requireLive: () => Promise.reject(new Error('the token is revoked')),
    })
    await doors.authorize(context, route, path)
    await expect(doors.authorizeRequest?.(context, route, path, { body: {} })).rejects.toThrow('the token is revoked')
  })
})
