import type { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { addTenant } from '../../../../areas/members.ts'
import { testPlatform } from '../../../../areas/test-platform.ts'
import { hostileHost } from '../../../../server/observability/outbound/hostile-host.ts'
import { withStacks } from '../stack-settings.ts'

const emptySeries = '{"status":"success","data":[]}'

/** The lists of metrics, and the number of the first request of a list that the member does not answer. */
const lists = [
  ['metrics/descriptors', 1],
  ['metrics/descriptors', 2],
  ['metrics/labels', 1],
] as const

it.each(lists)('a caller who leaves the list %s ends request %i to the member', async (list, unanswered) => {
  const open: Socket[] = []
  const host = await hostileHost(socket => {
    open.push(socket)
    if (open.length < unanswered)
      socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${emptySeries.length}\r\n\r\n${emptySeries}`)
  })
  const stack = { name: 'far', metrics_url: `http://127.0.0.1:${host.port}`, multi_tenant: true }
  const platform = await testPlatform({ config: { given: withStacks(stack) } })
  const { api, token } = await platform.admin()
  const { workspace } = await addTenant(api, 'acme')
  const caller = new AbortController()
  const url = `http://platform.test/observability/v1/workspaces/${workspace}/engines/far/${list}`
  const asked = platform.from('192.0.2.7')(url, {
    headers: { authorization: `Bearer ${token}` },
    signal: caller.signal,
  })
  await expect.poll(() => open.length).toBe(unanswered)
  expect(open.at(-1)?.destroyed).toBe(false)
  caller.abort(new Error('the caller has gone'))
  expect((await asked).status).toBe(499)
  await expect.poll(() => open.at(-1)?.destroyed).toBe(true)
})
