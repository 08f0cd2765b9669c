import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { outbox } from '../../../server/audit/outbox.ts'
import { openSqlite } from '../../../server/store/sqlite.ts'
import { testServer } from '../http/harness.ts'
import { sampleArea } from '../sample-area.ts'
import { testFolder } from '../store/harness.ts'

it('a served platform records mutations and refusals with the operation that was called, and no reads', async () => {
  const dataDir = testFolder()
  const { url } = await testServer([sampleArea()], dataDir)
  const authorization = `Bearer ${readFileSync(join(dataDir, 'bootstrap-token'), 'utf8').trim()}`
  const headers = { authorization, 'content-type': 'application/json' }
  const created = await fetch(`${url}/sample/v1/crates`, { method: 'POST', headers, body: '{"name":"box"}' })
  const refused = await fetch(`${url}/sample/v1/unguarded`, { headers })
  const read = await fetch(`${url}/sample/v1/crates`, { headers })
  const unknown = await fetch(`${url}/sample/v1/crates`, { headers: { authorization: 'Bearer nothing' } })
  expect([created, refused, read, unknown].map(({ status }) => status)).toEqual([200, 403, 200, 401])

  const store = await openSqlite({ file: join(dataDir, 'ninefold.sqlite'), collections: [outbox] })
  onTestFinished(() => store.close())
  const rows = []
  for await (const { value } of store.each(outbox)) rows.push(value)
  const operation: { readonly id: string } = JSON.parse(await created.text())
  expect(rows).toMatchObject([
    {
      category: 'ADMIN_WRITE',
      action: 'createCrate',
      permission: 'sample.crates.any',
      operation_id: operation.id,
      request_id: created.headers.get('x-request-id'),
      client_ip: '127.0.0.1',
    },
    {
      category: 'ACCESS_DENIED',
      action: 'getUnguarded',
      scope_type: 'PLATFORM',
      principal_kind: 'USER',
      request_id: refused.headers.get('x-request-id'),
    },
  ])
})
