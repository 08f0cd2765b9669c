import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import type { Store } from '../../../../domain/ports/store.ts'
import { ApiError } from '../../../../runtime/errors.ts'
import { postgresUrl, storeAt, testPlace } from '../harness.ts'
import { openPlaceSnapshot } from '../place.ts'
import { newerParcels, olderParcels } from './migrating-worker.ts'

const program = fileURLToPath(new URL('./migrating-worker.ts', import.meta.url))

/** The number of rows: filling a column of so many rows takes some tenths of a second. */
const many = postgresUrl() === undefined ? 20_000 : 1000

async function fill(store: Store): Promise<void> {
  for (let i = 0; i < many; i += 1000) {
    await store.tx(async tx => {
      for (let j = i; j < i + 1000; j += 1) await tx.insert(olderParcels, { id: `p-${j}`, weight: j % 7 })
    })
  }
}

/**
 * Starts a server of the newer version, and waits until it is about to open the store; returns the process and its
 * output.
 */
async function newerServer(place: string) {
  const child = spawn(process.execPath, [program, place], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const said: string[] = []
  const lines = createInterface({ input: child.stdout }).on('line', line => void said.push(line))
  const exited = once(child, 'exit')
  await once(lines, 'line')
  return { child, said, exited }
}

/** Returns the keys of the rows whose columns contradict their documents, as the doctor finds them. */
async function stale(place: string): Promise<readonly string[]> {
  const snapshot = await openPlaceSnapshot(place, [newerParcels])
  try {
    const keys: string[] = []
    for await (const { key } of snapshot.mismatches(newerParcels)) keys.push(key)
    return keys
  } finally {
    await snapshot.close()
  }
}

it('an older server continues to read during a migration by a newer server, and writes no row that the newer server would miss', async () => {
  const place = await testPlace()
  const older = await storeAt(place, olderParcels)
  await fill(older)
  const { exited, said } = await newerServer(place)
  const written: string[] = []
  const refused: unknown[] = []
  const over = new AbortController()
  void exited.then(() => over.abort())
  for (let i = 0; !over.signal.aborted || i < 3; i += 1) {
    await older
      .tx(tx => tx.insert(olderParcels, { id: `q-${i}`, weight: 7 }))
      .then(
        ({ id }) => written.push(id),
        (error: unknown) => refused.push(error),
      )
    const read = await older.get(olderParcels, 'p-1').catch((error: unknown) => void refused.push(error))
    if (read !== undefined) expect(read.value.weight).toBe(1)
    await pause(1)
  }
  expect(said).toEqual(['opening', 'open'])
  expect((await older.get(olderParcels, 'p-1'))?.value.weight).toBe(1)
  const last = await older.tx(tx => tx.insert(olderParcels, { id: 'late', weight: 7 })).catch((error: unknown) => error)
  expect(last).toMatchObject({ reason: 'ENGINE_UNAVAILABLE', message: expect.stringContaining('a newer version') })
  expect(refused.filter(error => !(error instanceof ApiError && error.reason === 'ENGINE_UNAVAILABLE'))).toEqual([])
  await expect(older.tx(tx => tx.delete(olderParcels, 'p-1', 1))).rejects.toThrow('a newer version')
  expect(await older.tx(tx => tx.count(olderParcels))).toBe(many + written.length)

  expect(await stale(place)).toEqual([])
  const newer = await storeAt(place, newerParcels)
  expect(await newer.count(newerParcels, { weight: 7 })).toBe(written.length)
  expect(await newer.count(newerParcels, { weight: 1 })).toBe(Math.ceil((many - 1) / 7))
})

it('a migration that was interrupted by kill -9 has changed nothing, and the next server repeats it', async () => {
  const place = await testPlace()
  const older = await storeAt(place, olderParcels)
  await fill(older)
  let cutOff = 0
  for (const milliseconds of [0, 20, 60, 100, 150]) {
    const { child, exited, said } = await newerServer(place)
    await pause(milliseconds)
    child.kill('SIGKILL')
    await exited
    if (said.includes('open')) break
    cutOff += 1
    await expect
      .poll(
        () => older.tx(tx => tx.insert(olderParcels, { id: `q-${milliseconds}`, weight: 7 })).then(({ id }) => id),
        {
          timeout: 20_000,
        },
      )
      .toBe(`q-${milliseconds}`)
  }
  expect(cutOff).toBeGreaterThan(1)
  const newer = await storeAt(place, newerParcels)
  expect(await newer.count(newerParcels, { weight: 7 })).toBe(cutOff)
  expect(await newer.count(newerParcels)).toBe(many + cutOff)
  expect(await stale(place)).toEqual([])
})

it('a server that finds the store up to date does not block the writes of others', async () => {
  const place = await testPlace()
  const first = await storeAt(place, newerParcels)
  const second = await storeAt(place, newerParcels)
  for (const store of [first, second, first]) {
    await store.tx(async tx => {
      const row = await tx.lock(newerParcels, 'a')
      if (row === undefined) await tx.insert(newerParcels, { id: 'a', weight: 1 })
      else await tx.update(newerParcels, 'a', { id: 'a', weight: row.value.weight + 1 }, row.version)
    })
  }
  expect((await first.get(newerParcels, 'a'))?.value.weight).toBe(3)
})

it('an older server does not start on a store of a newer version, and reports the reason', async () => {
  const place = await testPlace()
  const older = await storeAt(place, olderParcels)
  await older.tx(tx => tx.insert(olderParcels, { id: 'a', weight: 1 }))
  const newer = await storeAt(place, newerParcels)
  const refused = storeAt(place, olderParcels)
  await expect(refused).rejects.toThrow(
    'a newer version of the server has changed the store: table test_parcels has column weight',
  )
  await expect(refused).rejects.toThrow('start that version or a newer one, or restore a backup')
  await newer.tx(tx => tx.insert(newerParcels, { id: 'b', weight: 2 }))
  expect(await newer.count(newerParcels, { weight: 2 })).toBe(1)
  expect(await stale(place)).toEqual([])
})

it('a server starts with columns that its version has dropped', async () => {
  const place = await testPlace()
  await storeAt(place, newerParcels)
  const newest = await storeAt(place, { ...olderParcels, formerColumns: ['weight'] })
  await newest.tx(tx => tx.insert(olderParcels, { id: 'a', weight: 1 }))
  expect((await newest.get(olderParcels, 'a'))?.value).toEqual({ id: 'a', weight: 1 })
})
