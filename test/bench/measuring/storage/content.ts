import { loopDelays, type LoopDelays } from '../loop-delays.ts'
import { median } from '../rounds.ts'
import { meets, meetsHeld, secondsOf } from './limits.ts'
import { besideBare, processorSeconds, type ServedBucket } from './served-bucket.ts'
import { download, taken, upload, type Answered, type Asked } from './transfers.ts'

const rounds = 5

/** The least speed of the server, in multiples of the bare server that does the same work. */
const limit = 0.8

/** A transfer, whose requests are made before its time is taken. */
export interface Contender {
  readonly name: string
  /** The id of the process that serves the transfer. */
  readonly pid: number
  readonly asked: () => Promise<Asked>
  readonly transfer: (asked: Asked) => Promise<Answered>
}

/**
 * Prints the speed of an upload and of a download of one large object beside the bare server: for uploads one that
 * computes the same digests, and one that computes nothing; all synchronise the file. Returns whether the speeds and the
 * event loop kept their limits.
 */
export const printContent = (isFull: boolean): Promise<boolean> =>
  besideBare(async (served, bare) => {
    const size = isFull ? 2 ** 30 : 2 ** 28
    const { pid } = bare
    const at = (path: string) => async (): Promise<Asked> => ({ url: new URL(path, bare.url).href })
    const put = (asked: Asked): Promise<Answered> => upload(asked, size)
    const up: readonly Contender[] = [
      { name: 'the bare server, with the same digests', pid, asked: at('/digests/a'), transfer: put },
      { name: 'the bare server, without digests', pid, asked: at('/plain/a'), transfer: put },
      { name: 'storage', pid: served.server.pid, asked: () => served.up('a'), transfer: put },
    ]
    const down: readonly Contender[] = [
      { name: 'the bare server', pid, asked: at('/digests/a'), transfer: asked => download(asked) },
      { name: 'storage', pid: served.server.pid, asked: () => served.down('a'), transfer: asked => download(asked) },
    ]
    const isUp = await printSpeeds(served, 'PUT', size, up)
    return (await printSpeeds(served, 'GET', size, down)) && isUp
  })

/**
 * Prints the speeds of contenders, of which the first is the peer and the last the server. Returns whether the speed and
 * the event loop of the server kept their limits.
 */
export async function printSpeeds(
  { server }: Pick<ServedBucket, 'server'>,
  method: string,
  size: number,
  contenders: readonly Contender[],
): Promise<boolean> {
  const times = contenders.map((): number[] => [])
  const spent = contenders.map((): number[] => [])
  const held: LoopDelays[] = []
  for (let round = 0; round < rounds; round += 1)
    for (const [i, each] of contenders.entries()) {
      // The bare server has the same processor, so the event loop of storage is observed during its own transfers.
      await loopDelays(server)
      const before = processorSeconds(each.pid)
      times[i]?.push(await timeOf(each, method === 'GET' ? size : 0))
      spent[i]?.push(processorSeconds(each.pid) - before)
      if (i === contenders.length - 1) held.push(await loopDelays(server))
    }
  console.log(`\n${method} of ${size / 2 ** 20} MiB, the median of ${rounds} rounds`)
  const speeds = times.map(of => size / median(of) / 1e6)
  const costs = spent.map(of => (median(of) / size) * 1e12)
  const [peer = Number.NaN] = speeds
  for (const [i, { name }] of contenders.entries()) {
    const [speed = Number.NaN, cost = Number.NaN] = [speeds[i], costs[i]]
    const shown = `${speed.toFixed(0).padStart(6)} MB/s${(speed / peer).toFixed(2).padStart(8)} x`
    console.log(`  ${name.padEnd(42)}${shown}${cost.toFixed(0).padStart(8)} ms of processor time for a GB`)
  }
  const ratio = (speeds.at(-1) ?? Number.NaN) / peer
  const isFast = meets(`${method} is at least ${limit} x the bare server`, `${ratio.toFixed(2)} x`, ratio >= limit)
  return meetsHeld(held) && isFast
}

async function timeOf({ asked, name, transfer }: Contender, size: number): Promise<number> {
  const request = await asked()
  return secondsOf(async () => {
    const { bytes, status } = await taken(() => transfer(request))
    if (status > 201 || bytes !== size) throw new Error(`${name} answered ${status} with ${bytes} bytes`)
  })
}
