import { administrator, signIn } from '../server/access/sign-in.ts'
import { closedLoop, freshConnections, openLoop } from './measuring/overload/loops.ts'
import { pinnedServer, type PinnedServer } from './measuring/overload/pinned-server.ts'
import { printRefusalCosts } from './measuring/overload/refusal-costs.ts'
import { quantile, type Tally } from './measuring/overload/tally.ts'

/**
 * This program prints the responses of an overloaded server, which has one processor, while the callers have another:
 *
 * - `reads`: ten times as many reads as the server can answer, sent at a fixed rate, with new connections meanwhile;
 * - `readers`: 300 readers, each of which sends its next request after the response, with new connections meanwhile;
 * - `connections`: the first response of each of 3,000 connections that are opened at the same time;
 * - `logins`: successful sign-ins a second on 20 and on 2,000 connections;
 * - `refusals`: the CPU time of refused calls beside the CPU time of an admitted call, without a listener.
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
  const { url } = server
  const request = await readOf(url)
  const best = await bestRate(url, request)
  console.log(`\nreads at ten times the best rate for ${seconds} s`)
  console.log(`  the best rate, on 20 connections: ${best.toFixed(0)} a second`)
  const [{ tally, unsent }, fresh] = await Promise.all([
    openLoop(url, request, { connections: 2000, ms, rate: best * 10 }),
    freshOnes(server, request),
  ])
  const admitted = tally.count(200) / seconds
  printTally('kept connections', tally)
  console.log(`  ${unsent} requests had no connection without an earlier request`)
  console.log(`  ${admitted.toFixed(0)} admitted a second, ${((admitted / best) * 100).toFixed(0)} % of the best rate`)
  printTimes('admitted', tally.of(200))
  printFresh(fresh)
}

async function printReaders(server: PinnedServer): Promise<void> {
  const { url } = server
  const request = await readOf(url)
  const best = await bestRate(url, request)
  const [{ tally }, fresh] = await Promise.all([closedLoop(url, request, 300, ms), freshOnes(server, request)])
  console.log(`\n300 readers for ${seconds} s`)
  const admitted = tally.count(200) / seconds
  printTally('kept connections', tally)
  console.log(`  ${admitted.toFixed(0)} admitted a second, ${((admitted / best) * 100).toFixed(0)} % of the best rate`)
  printFresh(fresh)
}

async function printConnections({ url }: PinnedServer): Promise<void> {
  const { tally, firsts } = await closedLoop(url, await readOf(url), 3000, ms)
  console.log(`\n3,000 readers for ${seconds} s`)
  printTally('kept connections', tally)
  console.log(`  ${firsts.length} of 3000 connections had a response`)
  printTimes('the first response', firsts)
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

/** Returns the number of responses a second on 20 connections, after a warm-up. */
async function bestRate(url: URL, request: string): Promise<number> {
  await closedLoop(url, request, 20, 4000)
  const { tally } = await closedLoop(url, request, 20, 5000)
  return tally.count(200) / 5
}

/** Opens new connections while the load lasts: for reads and for health, at the main and at the separate listener. */
async function freshOnes(
  { healthUrl, url }: PinnedServer,
  read: string,
): Promise<readonly (readonly [string, Tally])[]> {
  const get = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`
  const kinds = [
    ['reads', url, read, 20],
    ['/healthz', url, get('/healthz'), 100],
    ['/readyz', url, get('/readyz'), 100],
    ['/metrics', url, get('/metrics'), 1000],
    ['health.listen /healthz', healthUrl, get('/healthz'), 100],
    ['health.listen /readyz', healthUrl, get('/readyz'), 100],
    ['health.listen /metrics', healthUrl, get('/metrics'), 1000],
  ] as const
  return Promise.all(
    kinds.map(
      async ([name, at, request, everyMs]) => [name, await freshConnections(at, request, everyMs, ms)] as const,
    ),
  )
}

function printFresh(fresh: readonly (readonly [string, Tally])[]): void {
  for (const [name, tally] of fresh) printTally(`new connections, ${name}`, tally)
}

function printTally(name: string, tally: Tally): void {
  console.log(`  ${name}: ${tally.statuses()}`)
  printTimes('all responses', tally.of())
}

function printTimes(name: string, times: readonly number[]): void {
  const [median = 0, p99 = 0, most = 0] = [0.5, 0.99, 1].map(part => quantile(times, part))
  console.log(`    ${name}: median ${median.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, longest ${most.toFixed(0)} ms`)
}
