import { setTimeout as sleep } from 'node:timers/promises'
import type { Guest } from './guest.ts'
import { lookMs } from './machines.ts'
import { QmpClosed } from './qmp.ts'
import { untilAborted } from './until-aborted.ts'

/** The delays between presses of the power button, in milliseconds. A guest that is still booting misses a press. */
const pressesMs = [500, 1000, 2000, 4000] as const
const laterPressesMs = 10_000

/** The wait before another attempt to speak with QEMU, in milliseconds. */
const retryMs = 200

interface Pressed {
  readonly guest: Guest
  readonly signal: AbortSignal
}

/**
 * Presses the power button of a running guest. Returns true once the guest is off, and false if it still runs, or does
 * not answer, after `graceMs`.
 */
export async function hasGoneDown(change: Pressed, graceMs: number): Promise<boolean> {
  const until = performance.now() + graceMs
  for (let press = 0; ; press += 1) {
    const leftMs = until - performance.now()
    try {
      if (await isOff(change.guest, Math.max(lookMs, leftMs))) return true
      change.signal.throwIfAborted()
      if (leftMs <= 0) return false
      await pressPower(change, Math.min(leftMs, pressesMs[press] ?? laterPressesMs))
    } catch (error) {
      // QEMU may end while the server speaks to it, or not answer at all; it is killed after the grace period.
      if (!(error instanceof QmpClosed)) throw error
      if (leftMs <= 0) return false
      await sleep(Math.min(leftMs, retryMs), undefined, { signal: change.signal })
    }
  }
}

/** Returns whether the guest is off. Runs a guest that is paused. */
async function isOff(guest: Guest, timeoutMs: number): Promise<boolean> {
  const { run, state } = await guest.state(Math.min(timeoutMs, laterPressesMs))
  if (state === 'ON' && run !== 'running') await guest.execute('cont')
  return state !== 'ON'
}

/** Presses the power button, and waits until the guest is off, or for `waitMs`. */
async function pressPower({ guest, signal }: Pressed, waitMs: number): Promise<void> {
  const session = await guest.session()
  const isDown = session.next('SHUTDOWN', waitMs)
  await session.execute('system_powerdown')
  await untilAborted(isDown, signal)
}
