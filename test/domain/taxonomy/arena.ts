import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import type { Finding } from '../../../domain/ports/inspection.ts'
import { inspectOrganisation } from '../../../domain/taxonomy/inspect.ts'
import { organisations } from '../../../domain/taxonomy/tree/nodes.ts'
import { inspectStore } from '../../../server/doctor/inspect-store.ts'
import { workAt } from '../../../server/operations/inspect.ts'
import { openStoreSnapshot, storeCollections, type StorePlace } from '../../../server/platform-store.ts'
import type { ServerStore } from '../../../server/store/server-store.ts'
import { testToken } from '../../server/access/test-access.ts'
import { testStoreUrl } from '../../server/store/harness.ts'
import { openBeside } from '../../server/store/left-place.ts'
import { memoryFolder } from '../../memory-folder.ts'
import { testAreas } from './areas.ts'
import { callerOf, treePlatform, type Answer, type Caller } from './platform.ts'
import { afterTests } from '../../undo.ts'

/** Two callers of one store, whose calls conflict. */
export interface Arena {
  readonly one: Caller
  readonly other: Caller
  /** The number that `atOnce` adds to the round, so that concurrent lanes use different orders of calls. */
  readonly ahead: number
  /** Checks the tree of one organisation; other work may be in progress. */
  expectTree(organisation: string): Promise<void>
  /** Checks the whole store. */
  expectHealth(): Promise<void>
}

/** Makes an arena in which both callers call the platform of this process. */
export async function oneProcess(): Promise<Arena> {
  const { place, ...caller } = await treePlatform()
  return { one: caller, other: caller, ahead: 0, ...checks(place) }
}

/** Makes an arena in which each caller has its own server process, and both servers share one store. */
export async function twoProcesses(): Promise<Arena> {
  const dataDir = await mkdtemp(join(memoryFolder, 'ninefold-races-'))
  const place = { dataDir, ...(await testStoreUrl(afterTests, storeCollections(testAreas()))) }
  const urls = [await startServer(place), await startServer(place)]
  afterTests(() => rm(dataDir, { recursive: true }))
  const [one, other] = urls.map(url => callerOf(url, testToken))
  if (one === undefined || other === undefined) throw new Error('there must be two servers')
  return { one, other, ahead: 0, ...checks(place) }
}

const program = fileURLToPath(new URL('./races/racing-server.ts', import.meta.url))

/** Starts a server, which stops after the tests of the file; returns its URL. */
async function startServer(place: StorePlace): Promise<string> {
  const child = spawn(process.execPath, [program, JSON.stringify(place)], { stdio: ['pipe', 'pipe', 'ignore'] })
  const exited = once(child, 'exit')
  afterTests(async () => {
    child.stdin.end()
    await exited
  })
  for await (const line of createInterface({ input: child.stdout })) return line
  throw new Error('the server ended before it printed its URL')
}

function checks(place: StorePlace): Pick<Arena, 'expectTree' | 'expectHealth'> {
  const areas = testAreas()
  let opened: Promise<ServerStore> | undefined
  afterTests(async () => (await opened)?.close())
  return {
    async expectTree(id) {
      const store = await (opened ??= openBeside(place, storeCollections(areas)))
      await store.snapshot(async reader => {
        const stored = await reader.get(organisations, id)
        if (stored === undefined) return
        const inspection = { reader, facts: {}, workAt: workAt.bind(undefined, reader) }
        await expectNothing(inspectOrganisation(inspection, stored.value))
      })
    },
    async expectHealth() {
      const snapshot = await openStoreSnapshot(place, areas)
      try {
        await expectNothing(inspectStore(snapshot, areas))
      } finally {
        await snapshot.close()
      }
    },
  }
}

async function expectNothing(findings: AsyncGenerator<Finding, void, undefined>): Promise<void> {
  for await (const finding of findings) expect.fail(JSON.stringify(finding))
}

/** Returns `OK` or the reason of the depot's response. */
export async function thingOutcomeOf(call: Promise<Answer>): Promise<string> {
  const { body, status } = await call
  return status === 200 ? 'OK' : (body.details?.[0]?.reason ?? String(status))
}
