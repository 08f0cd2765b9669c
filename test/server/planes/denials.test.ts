import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { bind } from '../../../runtime/bind.ts'
import { platform } from '../../../domain/ports/access.ts'
import { permissionDenied } from '../../../domain/resources/permission-denied.ts'
import { outbox } from '../../../domain/resources/activity-outbox.ts'
import { openSqlite } from '../../../server/store/sqlite.ts'
import { testServer } from '../http/harness.ts'
import { testFolder } from '../store/harness.ts'
import { testToken } from '../access/test-access.ts'
import { depotArea, depotPlane, depotRoute, depotWatch } from './depot.ts'

it('a refusal by the doors of a plane, the doors of the platform or a handler is recorded once', async () => {
  const dataDir = testFolder()
  const refuse = async (): Promise<never> => {
    throw permissionDenied('depot.blobs.get', platform)
  }
  // The platform refuses every caller of a route without access.
  const unguarded = { ...depotRoute('GET', 'byPlatform', ['/v2/platform']) }
  delete unguarded.access
  const plane = depotPlane(depotWatch(), {
    doors: doors => ({
      authenticate: (request, access) => doors.authenticate(request, access),
      authorize: (context, route, path) =>
        route.operationId === 'byPlane' ? refuse() : doors.authorize(context, route, path),
    }),
    routes: [
      bind(depotRoute('GET', 'byPlane', ['/v2/plane'], { access: { kind: 'authenticated' } }), refuse),
      bind(unguarded, refuse),
      bind(depotRoute('GET', 'byHandler', ['/v2/handler'], { access: { kind: 'authenticated' } }), refuse),
    ],
  })
  const { url } = await testServer([depotArea(() => [plane])], dataDir)
  const headers = { authorization: `Bearer ${testToken}` }
  for (const path of ['plane', 'platform', 'handler']) {
    expect((await fetch(`${url}/v2/${path}`, { headers })).status).toBe(403)
  }
  const store = await openSqlite({ file: join(dataDir, 'ninefold.sqlite'), collections: [outbox] })
  onTestFinished(() => store.close())
  const actions = []
  for await (const { value } of store.each(outbox)) actions.push([value.category, value.action])
  expect(actions).toEqual(['byPlane', 'byPlatform', 'byHandler'].map(action => ['ACCESS_DENIED', action]))
})
