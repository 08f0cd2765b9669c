import { expect, it } from 'vitest'
import type { DriverAnswer } from '../../../../domain/compute/drivers/driver.ts'
import { Jobs } from '../../../../server/compute/qemu/jobs.ts'

const done: DriverAnswer = { kind: 'done' }

/** A promise that a test resolves, and work that waits for the promise or for its signal. */
function gate() {
  const { promise, resolve } = Promise.withResolvers<DriverAnswer>()
  const seen = { begun: 0, aborted: 0 }
  const work = async (signal: AbortSignal): Promise<DriverAnswer> => {
    seen.begun += 1
    const aborted = new Promise<never>((_resolve, reject) =>
      signal.addEventListener('abort', () => {
        seen.aborted += 1
        reject(new Error('aborted'))
      }),
    )
    return Promise.race([promise, aborted])
  }
  return { resolve, seen, work }
}

it('answers a repeated call with the result of the change that the first call has begun', async () => {
  const jobs = new Jobs()
  const { resolve, seen, work } = gate()
  for (let i = 0; i < 3; i += 1) expect(await jobs.run('vm', 'start/1', work, 1)).toMatchObject({ kind: 'waiting' })
  expect(jobs.isBusy('vm')).toBe(true)
  resolve(done)
  expect(await jobs.run('vm', 'start/1', work, 60_000)).toEqual(done)
  expect(await jobs.run('vm', 'start/1', work, 1)).toEqual(done)
  expect(jobs.isBusy('vm')).toBe(false)
  expect(seen).toEqual({ begun: 1, aborted: 0 })
})

it('aborts a change for another one, which begins after the end of the first', async () => {
  const jobs = new Jobs()
  const first = gate()
  await jobs.run('vm', 'start/1', first.work, 1)
  const waiting = jobs.run('vm', 'start/1', first.work, 60_000)
  const order: string[] = []
  const second = await jobs.run('vm', 'destroy/2', async () => {
    order.push(`aborted ${first.seen.aborted}`)
    return done
  })
  expect(second).toEqual(done)
  expect(order).toEqual(['aborted 1'])
  // The operation of the first call is over, so that its answer means nothing.
  expect(await waiting).toMatchObject({ kind: 'waiting' })
})

it('throws the error of a change, and begins the change again for the next call', async () => {
  const jobs = new Jobs()
  let runs = 0
  const work = async (): Promise<DriverAnswer> => {
    runs += 1
    if (runs === 1) throw new Error('the disk is full')
    return done
  }
  await expect(jobs.run('vm', 'start/1', work)).rejects.toThrow('the disk is full')
  expect(await jobs.run('vm', 'start/1', work)).toEqual(done)
})

it('changes several machines at once, and ends all changes when it is closed', async () => {
  const jobs = new Jobs()
  const [one, other] = [gate(), gate()]
  await jobs.run('vm-1', 'start/1', one.work, 1)
  await jobs.run('vm-2', 'start/1', other.work, 1)
  await jobs.close()
  expect([one.seen, other.seen]).toEqual([
    { begun: 1, aborted: 1 },
    { begun: 1, aborted: 1 },
  ])
})
