import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { Keyring } from '../../../../domain/vault/seal/keyring.ts'
import { isOpenSafe, openSafe, type RootKeys } from '../../../../domain/vault/seal/open-safe.ts'
import { safeKeys, safes, workspaceKeys } from '../../../../domain/vault/seal/seal-store.ts'
import { createClock } from '../../../../server/clock.ts'
import { areas } from '../../../../server/areas.ts'
import { openStore } from '../../../../server/platform-store.ts'
import { testFolder } from '../../../server/store/harness.ts'
import { rootKey, workspace } from '../keyrings.ts'

const program = fileURLToPath(new URL('./rewrap-killed.ts', import.meta.url))
const place = { workspace, type: 'vault.secretVersions', id: 'one', version: '1' }
const secret = Buffer.from('hunter2')
const [first, second] = [rootKey('first'), rootKey('second')]

/** Makes a store whose safe keys are encrypted under the first root key, and returns its folder and an item. */
async function madeStore(): Promise<{ readonly dataDir: string; readonly wrapped: string }> {
  const dataDir = testFolder()
  const store = await openStore({ dataDir }, areas)
  const keyring = new Keyring(store)
  const roots = { current: first }
  const safe = await openSafe(store, createClock(), roots)
  if (!isOpenSafe(safe)) throw new Error(safe.reason)
  keyring.unseal(safe, roots)
  const wrapped = await store.tx(tx => keyring.wrap(tx, place, secret))
  await store.close()
  return { dataDir, wrapped }
}

/** Changes the root key in another process, which is killed at a call; returns the number of calls, if it was not. */
function rewrap(dataDir: string, last: number): number | undefined {
  const { signal, stderr, stdout } = spawnSync(process.execPath, [program, dataDir, String(last)], { encoding: 'utf8' })
  if (signal === 'SIGKILL') return undefined
  if (stdout === '') throw new Error(stderr)
  return Number(stdout)
}

/** Opens the vault with root keys; returns the text of the item, or the reason for the seal. */
async function openedWith(dataDir: string, wrapped: string, roots: RootKeys): Promise<string> {
  const store = await openStore({ dataDir }, areas)
  try {
    const keyring = new Keyring(store)
    const safe = await openSafe(store, createClock(), roots)
    if (!isOpenSafe(safe)) return safe.reason
    keyring.unseal(safe, roots)
    expect([await store.count(safes), await store.count(workspaceKeys)]).toEqual([1, 1])
    return (await keyring.unwrap(store, place, wrapped)).toString()
  } finally {
    await store.close()
  }
}

it(
  'a server that is killed at any step of a change of the root key opens the vault with both keys, and with either all or nothing changed',
  { timeout: 300_000 },
  async () => {
    const whole = await madeStore()
    const calls = rewrap(whole.dataDir, 0) ?? 0
    expect(calls).toBeGreaterThan(5)
    const isWalk = process.env['NINEFOLD_KILL_POINTS'] === 'all'
    const points = isWalk ? Array.from({ length: calls }, (_, i) => i + 1) : [calls - 1, calls]
    for (const point of points) {
      const { dataDir, wrapped } = await madeStore()
      expect([point, rewrap(dataDir, point)]).toEqual([point, undefined])
      const isChanged = point === calls
      const [before, after] = [{ current: first }, { current: second }]
      const sealed = expect.stringContaining('is not the key')
      expect([point, await openedWith(dataDir, wrapped, before)]).toEqual([point, isChanged ? sealed : 'hunter2'])
      expect([point, await openedWith(dataDir, wrapped, after)]).toEqual([point, isChanged ? 'hunter2' : sealed])
      expect(await openedWith(dataDir, wrapped, { current: second, previous: first })).toBe('hunter2')
      expect(await openedWith(dataDir, wrapped, after)).toBe('hunter2')
      expect(await openedWith(dataDir, wrapped, before)).toEqual(sealed)
      const store = await openStore({ dataDir }, areas)
      expect(await store.count(safeKeys)).toBe(2)
      await store.close()
    }
    console.log(`${points.length} of ${calls} points`)
  },
)
