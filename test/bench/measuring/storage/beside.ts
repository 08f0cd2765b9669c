import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { loopDelays } from '../loop-delays.ts'
import { Exchange } from '../overload/exchange.ts'
import { quantile } from '../overload/tally.ts'
import { meets, meetsLoop, secondsOf } from './limits.ts'
import { besideBare, type ServedBucket } from './served-bucket.ts'
import { rateOf } from './small.ts'
import { download, textOf, upload } from './transfers.ts'

const readers = 50
const overwrites = 20
const gets = 1000

/** The p99 of reads of another area during a large upload may be this multiple of the p99 of an idle server. */
const limit = 2

/** The pause between two reads in milliseconds. */
const pauseMs = 5

/**
 * Prints the p99 of reads of another area during a large upload beside an idle server; 1,000 small downloads at a time;
 * and overwrites of an object that 50 readers stream. Returns whether all limits were kept: no reader may get bytes of
 * two versions.
 */
export const printBeside = (isFull: boolean): Promise<boolean> =>
  besideBare(async served => {
    const isQuick = await printReads(served, isFull ? 2 ** 30 : 2 ** 29)
    await printGets(served)
    return (await printOverwrites(served, isFull ? 2 ** 26 : 2 ** 24)) && isQuick
  })

async function printReads(served: ServedBucket, size: number): Promise<boolean> {
  const { server, up } = served
  await readsUntil(served, sleep(2000))
  const before = await readsUntil(served, sleep(3000))
  const asked = await up('large')
  await loopDelays(server)
  const during = await readsUntil(served, upload(asked, size))
  console.log(`\nreads of a workspace during an upload of ${size / 2 ** 20} MiB`)
  for (const [name, times] of Object.entries({ idle: before, during })) {
    const [half = 0, p99 = 0, most = 0] = [0.5, 0.99, 1].map(part => quantile(times, part))
    const shown = `median ${half.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, longest ${most.toFixed(1)} ms`
    console.log(`  ${name.padEnd(8)}${String(times.length).padStart(6)} reads, ${shown}`)
  }
  const ratio = quantile(during, 0.99) / quantile(before, 0.99)
  const isQuick = meets(`the p99 is below ${limit} x the idle server`, `${ratio.toFixed(2)} x`, ratio < limit)
  return (await meetsLoop(server)) && isQuick
}

/** Returns the times of reads of the workspace, in milliseconds, until something has ended. */
async function readsUntil(served: ServedBucket, end: Promise<unknown>): Promise<number[]> {
  const { organisation, server, token, workspace } = served
  const url = new URL(`/taxonomy/v1/organisations/${organisation}/workspaces/${workspace}`, server.url).href
  const text = textOf('GET', { url, headers: { authorization: `Bearer ${token}` } }, 0)
  const exchange = new Exchange(server.url)
  const times: number[] = []
  const reading = new AbortController()
  const over = end.finally(() => reading.abort())
  while (!reading.signal.aborted) {
    const since = performance.now()
    const status = await new Promise<number>(ended => exchange.send(text, ended))
    if (status !== 200) throw new Error(`a read was answered ${status}`)
    times.push(performance.now() - since)
    await sleep(pauseMs)
  }
  exchange.close()
  await over
  return times
}

async function printGets({ down, server, up }: ServedBucket): Promise<void> {
  await upload(await up('small'), 4096)
  const text = textOf('GET', await down('small'), 0)
  const requests = Array.from({ length: gets }, () => text)
  await rateOf(server.url, requests, 100)
  const { p99, perSecond, refused } = await rateOf(server.url, requests, 100)
  console.log(`\n${gets} downloads of 4 KiB, 100 at a time`)
  console.log(`  ${perSecond.toFixed(0)} a second, p99 ${p99.toFixed(1)} ms; ${refused} refused and sent again`)
}

async function printOverwrites({ down, server, up }: ServedBucket, size: number): Promise<boolean> {
  await upload(await up('shared'), size)
  const asked = await down('shared')
  const writes = await up('shared')
  const writing = new AbortController()
  const counts = { whole: 0, mixed: 0 }
  const reader = async (): Promise<void> => {
    while (!writing.signal.aborted) counts[(await isWhole(asked)) ? 'whole' : 'mixed'] += 1
  }
  await loopDelays(server)
  const reading = Array.from({ length: readers }, reader)
  const seconds = await secondsOf(async () => {
    // The contents differ in their length, so that a mixture has the digest of none.
    for (let i = 0; i < overwrites; i += 1) await upload(writes, size - i)
  }).finally(() => writing.abort())
  await Promise.all(reading)
  console.log(`\n${overwrites} overwrites of ${size / 2 ** 20} MiB beside ${readers} readers, ${seconds.toFixed(1)} s`)
  const read = `${counts.whole} whole, ${counts.mixed} mixed or cut`
  const isSound = meets('each reader gets the bytes of one version', read, counts.mixed === 0 && counts.whole > 0)
  return (await meetsLoop(server)) && isSound
}

/** Whether a download has the digest that its headers name. */
async function isWhole(asked: Parameters<typeof download>[0]): Promise<boolean> {
  const sha256 = createHash('sha256')
  const { head, status } = await download(asked, chunk => sha256.update(chunk))
  const [, digest] = /\r\nx-amz-checksum-sha256: (\S+)/i.exec(head) ?? []
  return status === 200 && digest === sha256.digest('base64')
}
