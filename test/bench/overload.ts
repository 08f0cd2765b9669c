import { administrator, signIn } from '../server/access/sign-in.ts'
import { closedLoop, freshConnections, openLoop } from './measuring/overload/loops.ts'
import { pinnedBareServer, pinnedServer, type Pinned, type PinnedServer } from './measuring/overload/pinned-server.ts'
import { printRefusalCosts } from './measuring/overload/refusal-costs.ts'
import { printLimit, printLoad, printTally, printTimes, underLoad, type Load } from './measuring/overload/report.ts'
import { quantile, type Tally } from './measuring/overload/tally.ts'

/**
 * This program prints the responses of an overloaded server, which has one processor, while the callers have another:
 *
 * - `reads`: ten times as many reads as the server can answer, sent at a fixed rate, with new connections meanwhile;
 * - `readers`: 300 readers, each of which sends its next request after the response, with new connections meanwhile;
 * - `connections`: the first response of each of 3,000 connections that are opened together;
 * - `logins`: successful sign-ins a second on 20 and on 2,000 connections;
 * - `refusals`: the CPU time of refused calls beside the CPU time of an admitted call, without a listener.
 *
 * The limits are printed as met or missed. They hold for a machine without other work. So the program prints the part of
 * the time for which other programs used the processor of the server, the admitted reads a second of processor time, and
 * for `reads` and `connections` the same figures of a bare server of node:http.
 *
 * `npm run bench overload reads 60` prints one part and takes 60 seconds for it; the default is all parts and 12
 * seconds.
 */

const parts = {
  reads: printReads,
  readers: printReaders,
  connections: printConnections,
  logins: printLogins,
  refusals: printRefusalCosts,
}
const [, , , ...asked] = process.argv
const seconds = Number(asked.find(each => /^\d+$/.test(each)) ?? 12)
const names = asked.filter(each => Object.hasOwn(parts, each))
const ms = seconds * 1000
const bestMs = 4000
const openedTogether = 3000

/** The paths of health, each with the interval between two requests in milliseconds. */
const healthPaths = [
  ['/healthz', 100],
  ['/readyz', 100],
  ['/metrics', 1000],
] as const

for (const [name, print] of Object.entries(parts)) {
  if (names.length > 0 && !names.includes(name)) continue
  const server = await pinnedServer()
  try {
    await print(server)
  } finally {
    await server.close()
  }
}

async function printReads(server: PinnedServer): Promise<void> {
  const request = await readOf(server.url)
  const best = await printTenfold('the platform', server, request)
  const fresh = best.fresh
  const slowest = (names: RegExp): number =>
    Math.max(...fresh.filter(([name]) => names.test(name)).map(([, tally]) => quantile(tally.of(), 1)))
  const unanswered = [best.firsts, ...fresh.map(([, tally]) => tally)].reduce((sum, tally) => sum + tally.count(0), 0)
  const firstMs = Math.max(slowest(/^(?!health)/), quantile(best.firsts.of(), 1))
  printLimit('the p99 of the admitted is below 250 ms', `${best.p99.toFixed(0)} ms`, best.p99 < 250)
  const share = `${(best.share * 100).toFixed(0)} % a second, ${(best.shareOfRun * 100).toFixed(0)} % a second of processor time`
  printLimit('the admitted are at least 80 % of the best rate', share, best.share >= 0.8)
  const slow = `the slowest took ${firstMs.toFixed(0)} ms, ${unanswered} had no response`
  printLimit('every new connection is answered within 2 s', slow, firstMs < 2000 && unanswered === 0)
  const healthMs = slowest(/^health/)
  printLimit('health.listen answers within 250 ms', `the slowest took ${healthMs.toFixed(0)} ms`, healthMs < 250)
  const peer = await pinnedBareServer(1000 / best.rate)
  try {
    await printTenfold('a bare server of node:http with calls as long, which refuses nothing', peer, get('/'))
  } finally {
    await peer.close()
  }
}

/** The responses of a server to ten times as many reads as its best rate. */
interface Tenfold {
  /** The best rate, in responses a second. */
  readonly rate: number
  /** The admitted reads, divided by those at the best rate, in the same time on the clock. */
  readonly share: number
  /** The admitted reads, divided by those at the best rate, in the same processor time of the server. */
  readonly shareOfRun: number
  /** The p99 of the admitted reads on connections that had a response before, in milliseconds. */
  readonly p99: number
  readonly firsts: Tally
  readonly fresh: readonly (readonly [string, Tally])[]
}

async function printTenfold(name: string, server: Pinned | PinnedServer, request: string): Promise<Tenfold> {
  const best = await bestRate(server, request)
  console.log(`\n${name}: reads at ten times the best rate for ${seconds} s`)
  console.log(`  the best rate: ${best.rate.toFixed(0)} a second`)
  const { load, result } = await underLoad('overload', server, () =>
    Promise.all([
      openLoop(server.url, request, { connections: 2000, ms, rate: best.rate * 10 }),
      freshOnes(server, request),
    ]),
  )
  const [{ tally, firsts, unsent }, fresh] = result
  const admitted = tally.count(200) + firsts.count(200)
  printTally('kept connections', tally)
  printTimes('admitted', tally.of(200))
  printTally('the first responses of these connections', firsts)
  console.log(`  ${unsent} requests had no connection without an earlier request`)
  console.log(`  ${(admitted / seconds).toFixed(0)} admitted a second`)
  printFresh(fresh)
  printLoad(best.load)
  printLoad(load)
  const share = admitted / seconds / best.rate
  const shareOfRun = admitted / (load.processor?.ranMs ?? Number.NaN) / (best.count / (best.load.processor?.ranMs ?? 0))
  return { rate: best.rate, share, shareOfRun, p99: quantile(tally.of(200), 0.99), firsts, fresh }
}

async function printReaders(server: PinnedServer): Promise<void> {
  const request = await readOf(server.url)
  const { rate } = await bestRate(server, request)
  const { load, result } = await underLoad('300 readers', server, () =>
    Promise.all([closedLoop(server.url, request, 300, ms), freshOnes(server, request)]),
  )
  const [{ tally }, fresh] = result
  console.log(`\n300 readers for ${seconds} s`)
  const admitted = tally.count(200) / seconds
  printTally('kept connections', tally)
  console.log(`  ${admitted.toFixed(0)} admitted a second, ${((admitted / rate) * 100).toFixed(0)} % of the best rate`)
  printFresh(fresh)
  printLoad(load)
}

async function printConnections(server: PinnedServer): Promise<void> {
  const request = await readOf(server.url)
  const { rate } = await bestRate(server, request)
  const firsts = await printFirsts('the platform', server, request)
  const slowestMs = quantile(firsts, 1)
  const isMet = firsts.length === openedTogether && slowestMs < 2000
  const slow = `${firsts.length} of ${openedTogether} answered, the slowest after ${slowestMs.toFixed(0)} ms`
  printLimit('each connection is answered within 2 s', slow, isMet)
  const peer = await pinnedBareServer(1000 / rate)
  try {
    await bestRate(peer, get('/'))
    await printFirsts('a bare server of node:http with calls as long, which refuses nothing', peer, get('/'))
  } finally {
    await peer.close()
  }
}

async function printFirsts(name: string, server: Pinned, request: string): Promise<readonly number[]> {
  const { load, result } = await underLoad('3,000 readers', server, () =>
    closedLoop(server.url, request, openedTogether, ms),
  )
  console.log(`\n${name}: ${openedTogether} readers for ${seconds} s`)
  printTally('kept connections', result.tally)
  console.log(`  ${result.firsts.length} of ${openedTogether} connections had a response`)
  printTimes('the first response', result.firsts)
  printLoad(load)
  return result.firsts
}

async function printLogins({ url }: PinnedServer): Promise<void> {
  const body = JSON.stringify(administrator)
  const request = `POST /iam/v1/users:authenticate HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  await closedLoop(url, request, 20, 2000)
  console.log('\nsign-ins')
  for (const connections of [20, 2000]) {
    const { tally } = await closedLoop(url, request, connections, ms)
    printTally(`${connections} connections`, tally)
    console.log(`  ${(tally.count(200) / seconds).toFixed(1)} sign-ins a second on ${connections} connections`)
  }
}

async function readOf(url: URL): Promise<string> {
  const token = await signIn(url.origin)
  return `GET /iam/v1/users/me HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${token}\r\n\r\n`
}

/** The best rate of a server: the responses a second, and those of the whole measurement. */
interface Best {
  readonly rate: number
  readonly count: number
  readonly load: Load
}

/** Returns the best rate on 20 and on 100 connections, after a warm-up. */
async function bestRate(server: Pinned, request: string): Promise<Best> {
  await closedLoop(server.url, request, 100, 4000)
  const found: Best[] = []
  for (const connections of [20, 100]) {
    const { load, result } = await underLoad('best rate', server, () =>
      closedLoop(server.url, request, connections, bestMs),
    )
    const count = result.tally.count(200)
    found.push({ rate: count / (bestMs / 1000), count, load })
  }
  return found.reduce((one, other) => (one.rate > other.rate ? one : other))
}

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`
}

/** Opens new connections while the load lasts: for reads and, if the server has them, for both kinds of health. */
async function freshOnes(server: Pinned | PinnedServer, read: string): Promise<readonly (readonly [string, Tally])[]> {
  const { url } = server
  const healthUrl = 'healthUrl' in server ? server.healthUrl : undefined
  const kinds = [
    ['reads', url, read, 20],
    ...healthPaths.map(([path, everyMs]) => [path, url, get(path), everyMs] as const),
    ...healthPaths.map(([path, everyMs]) => [`health.listen ${path}`, healthUrl, get(path), everyMs] as const),
  ] as const
  return Promise.all(
    kinds.flatMap(([name, at, request, everyMs]) =>
      at === undefined ? [] : [freshConnections(at, request, everyMs, ms).then(tally => [name, tally] as const)],
    ),
  )
}

function printFresh(fresh: readonly (readonly [string, Tally])[]): void {
  for (const [name, tally] of fresh) printTally(`new connections, ${name}`, tally)
}
