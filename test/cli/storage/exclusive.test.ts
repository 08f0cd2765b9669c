import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { exclusively } from '../../../cli/storage/exclusive.ts'
import { testFolder } from '../../server/store/harness.ts'

const module = new URL('../../../cli/storage/exclusive.ts', import.meta.url).href

/** Starts a process that holds a lock until it is killed. */
async function holderOf(lock: string) {
  // The timer refers to the promise, which would be collected with its lock otherwise.
  const script = `
    import { exclusively } from ${JSON.stringify(module)}
    await exclusively(${JSON.stringify(lock)}, 'file', () => new Promise(resolve => {
      setTimeout(resolve, 600_000)
      console.log('taken')
    }))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return child
}

it('refuses a lock that a running process holds, and takes the lock of a killed one, one command at a time', async () => {
  const folder = testFolder()
  const lock = join(folder, 'lock')
  const holder = await holderOf(lock)
  await expect(exclusively(lock, 'file', () => Promise.resolve())).rejects.toThrow(
    'another command copies to file: wait',
  )
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  expect(readdirSync(folder)).toEqual(['lock'])
  let [running, most] = [0, 0]
  const act = async (): Promise<void> => {
    most = Math.max(most, (running += 1))
    for (let i = 0; i < 20; i += 1) await nextTurn()
    running -= 1
  }
  for (let round = 0; round < 10; round += 1) {
    const ended = await Promise.allSettled(Array.from({ length: 20 }, () => exclusively(lock, 'file', act)))
    expect(ended.some(({ status }) => status === 'fulfilled')).toBe(true)
    for (const each of ended) if (each.status === 'rejected') expect(String(each.reason)).toContain('another command')
    expect(most).toBe(1)
    expect(readdirSync(folder)).toEqual([])
  }
})

it('frees the lock after a fault', async () => {
  const lock = join(testFolder(), 'lock')
  await expect(exclusively(lock, 'file', () => Promise.reject(new Error('full')))).rejects.toThrow('full')
  expect(await exclusively(lock, 'file', () => Promise.resolve(1))).toBe(1)
})
