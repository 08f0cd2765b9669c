import { loopDelays } from '../loop-delays.ts'
import { Exchange } from '../overload/exchange.ts'
import { quantile } from '../overload/tally.ts'
import { meetsLoop } from './limits.ts'
import { besideBare } from './served-bucket.ts'
import { textOf, type Asked } from './transfers.ts'

const clients = 8
const bytes = 4096
const body = 'x'.repeat(bytes)

/** The number of requests of a round, and of warming up. */
const count = 400

/** The speed of some requests. */
interface Speed {
  readonly perSecond: number
  readonly p99: number
  /** The number of answers 503 of a busy server, after which the request is sent again. */
  readonly refused: number
}

/**
 * Prints the rate of uploads and downloads of objects of 4 KiB by 8 clients beside the bare server: a synchronised file
 * with the same digests, and a committed row in SQLite. An upload is both, with a change of the usage, an activity and a
 * synchronised name. Returns whether the event loop kept its limit.
 */
export const printSmall = (isFull: boolean): Promise<boolean> =>
  besideBare(async ({ down, server, up }, bare) => {
    const number = isFull ? count * 5 : count
    const names = Array.from({ length: number * 2 }, (_, i) => `small/${i}`)
    const signed = async (sign: (object: string) => Promise<Asked>, method: 'GET' | 'PUT'): Promise<string[]> =>
      (await pooled(names, sign)).map(asked => textFor(method, asked))
    const at = (method: 'GET' | 'PUT', path: (i: number) => string): string[] =>
      names.map((_, i) => textFor(method, { url: new URL(path(i), bare.url).href }))
    const uploads = await signed(up, 'PUT')
    await printRates(`PUT of ${bytes} bytes`, [
      ['a bare synchronised file, with digests', bare.url, at('PUT', i => `/digests/${i}`)],
      ['a bare committed row', bare.url, at('PUT', () => '/row')],
      ['storage', server.url, uploads],
    ])
    const downloads = await signed(down, 'GET')
    await loopDelays(server)
    await printRates(`GET of ${bytes} bytes`, [
      ['a bare file', bare.url, at('GET', i => `/digests/${i}`)],
      ['a bare row', bare.url, at('GET', () => '/row')],
      ['storage', server.url, downloads],
    ])
    return meetsLoop(server)
  })

const textFor = (method: 'GET' | 'PUT', asked: Asked): string =>
  textOf(method, asked, bytes) + (method === 'PUT' ? body : '')

type Contender = readonly [name: string, url: URL, requests: readonly string[]]

/** Prints the rates of contenders, each with its ratio to the first; the first half of the requests warms up. */
async function printRates(title: string, contenders: readonly Contender[]): Promise<void> {
  console.log(`\n${title} by ${clients} clients`)
  let base = Number.NaN
  for (const [name, url, requests] of contenders) {
    const half = requests.length / 2
    await rateOf(url, requests.slice(0, half))
    const { p99, perSecond } = await rateOf(url, requests.slice(half))
    if (Number.isNaN(base)) base = perSecond
    const ratio = (perSecond / base).toFixed(2).padStart(8)
    console.log(`  ${name.padEnd(44)}${perSecond.toFixed(0).padStart(6)} a second${ratio} x, p99 ${p99.toFixed(1)} ms`)
  }
}

/** Sends requests by the clients; throws unless all are answered 200 in the end. */
export async function rateOf(url: URL, requests: readonly string[], concurrent = clients): Promise<Speed> {
  const times: number[] = []
  let [next, refused] = [0, 0]
  const since = performance.now()
  const client = async (): Promise<void> => {
    const exchange = new Exchange(url)
    const send = (text: string): Promise<number> => new Promise(ended => exchange.send(text, ended))
    for (let text = requests[next]; text !== undefined; text = requests[next]) {
      next += 1
      const sentMs = performance.now()
      let status = await send(text)
      for (; status === 503; status = await send(text)) refused += 1
      if (status !== 200) throw new Error(`a request was answered ${status}`)
      times.push(performance.now() - sentMs)
    }
    exchange.close()
  }
  await Promise.all(Array.from({ length: concurrent }, client))
  return { perSecond: (times.length * 1000) / (performance.now() - since), p99: quantile(times, 0.99), refused }
}

/** Calls a function for each item, 8 at a time; returns the results in order. */
export async function pooled<T, R>(items: readonly T[], call: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const at = next
      next += 1
      const [item] = items.slice(at, at + 1)
      if (item !== undefined) results[at] = await call(item)
    }
  }
  await Promise.all(Array.from({ length: clients }, worker))
  return results
}
