import { bind } from '../../../runtime/bind.ts'
import { dispatcher } from '../../../runtime/call.ts'
import type { LogEntry } from '../../../runtime/outcome.ts'
import type { Dispatch } from '../../../runtime/wire.ts'
import { route } from '../../runtime/routes.ts'

/** The response of the only operation. */
export const greeting = { id: '0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b', display_name: 'the same to everybody' } as const

/** Makes a service with one public operation, whose handler does nothing; `log` receives the entry of every call. */
export function trivialService(log: (entry: LogEntry) => void = () => {}): Dispatch {
  let ids = 0
  return dispatcher({
    routes: [bind(route<{ id: string }, typeof greeting>('GET', ['/made/v1/greetings/', 'id']), async () => greeting)],
    doors: { authenticate: async () => undefined, authorize: async () => {} },
    clock: { now: () => Date.now(), newId: () => `request-${(ids += 1)}` },
    domains: { outside: { name: 'made' } },
    log,
  })
}
