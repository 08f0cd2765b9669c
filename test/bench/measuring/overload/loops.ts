import { setTimeout as sleep } from 'node:timers/promises'
import { Exchange } from './exchange.ts'
import { Tally } from './tally.ts'

/** The number of connections that a loop opens in one turn of its timer, so that the kernel's queue can hold them. */
const openedAtOnce = 100

/** The result of a closed loop. */
export interface ClosedLoop {
  readonly tally: Tally
  /** The time from the opening of each connection to its first response, in milliseconds; absent without a response. */
  readonly firsts: readonly number[]
}

/** Sends requests on `connections` connections for `ms` milliseconds; each sends the next request after the response. */
export async function closedLoop(url: URL, request: string, connections: number, ms: number): Promise<ClosedLoop> {
  const tally = new Tally()
  const firsts: number[] = []
  const open: Exchange[] = []
  const until = performance.now() + ms
  while (open.length < connections) {
    for (let i = 0; i < openedAtOnce && open.length < connections; i += 1) open.push(repeat())
    await sleep(1)
  }
  await sleep(until - performance.now())
  for (const exchange of open) exchange.close()
  return { tally, firsts }

  function repeat(): Exchange {
    const exchange = new Exchange(url)
    const beganMs = performance.now()
    let isFirst = true
    const next = (): void => {
      const sentMs = performance.now()
      exchange.send(request, status => {
        const nowMs = performance.now()
        if (nowMs >= until) return
        tally.add(status, nowMs - sentMs)
        if (isFirst && status !== 0) firsts.push(nowMs - beganMs)
        isFirst = false
        if (exchange.isOpen) next()
      })
    }
    next()
    return exchange
  }
}

/** The result of an open loop. */
export interface OpenLoop {
  /** The responses on connections that had a response before. */
  readonly tally: Tally
  /** The first response of each connection; its time includes the opening. */
  readonly firsts: Tally
  /** The number of requests that were due while each of the connections waited for a response. */
  readonly unsent: number
}

/**
 * Sends `rate` requests a second for `ms` milliseconds, whether or not earlier requests have responses. Each request
 * takes a connection that waits for no response, of at most `connections`; without such a connection the request is not
 * sent.
 */
export async function openLoop(
  url: URL,
  request: string,
  { connections, ms, rate }: { readonly connections: number; readonly ms: number; readonly rate: number },
): Promise<OpenLoop> {
  const tally = new Tally()
  const firsts = new Tally()
  const idle: Exchange[] = []
  const all = new Set<Exchange>()
  const beganMs = performance.now()
  let [due, sent, unsent] = [0, 0, 0]
  while (performance.now() - beganMs < ms) {
    due = ((performance.now() - beganMs) / 1000) * rate
    let opened = 0
    while (sent + unsent < due) {
      const known = idle.pop()
      const exchange = known ?? (opened < openedAtOnce ? another() : undefined)
      if (exchange === undefined) {
        unsent = due - sent
        break
      }
      if (known === undefined) opened += 1
      sent += 1
      send(exchange, known === undefined ? firsts : tally)
    }
    await sleep(1)
  }
  for (const exchange of all) exchange.close()
  return { tally, firsts, unsent: Math.round(unsent) }

  function another(): Exchange | undefined {
    if (all.size >= connections) return undefined
    const exchange = new Exchange(url)
    all.add(exchange)
    return exchange
  }

  function send(exchange: Exchange, counted: Tally): void {
    const sentMs = performance.now()
    exchange.send(request, status => {
      if (performance.now() - beganMs < ms) counted.add(status, performance.now() - sentMs)
      if (exchange.isOpen) idle.push(exchange)
      else all.delete(exchange)
    })
  }
}

/** The time in milliseconds that a fresh connection waits for its response before it gives up. */
const patienceMs = 10_000

/** Opens a new connection for a request every `everyMs` milliseconds for `ms` milliseconds; times include the opening. */
export async function freshConnections(url: URL, request: string, everyMs: number, ms: number): Promise<Tally> {
  const tally = new Tally()
  const ends: Promise<void>[] = []
  const until = performance.now() + ms
  while (performance.now() < until) {
    ends.push(once())
    await sleep(everyMs)
  }
  await Promise.all(ends)
  return tally

  function once(): Promise<void> {
    const exchange = new Exchange(url)
    const sentMs = performance.now()
    return new Promise(resolve => {
      const timer = setTimeout(() => exchange.close(), patienceMs)
      exchange.send(request, status => {
        clearTimeout(timer)
        tally.add(status, performance.now() - sentMs)
        exchange.close()
        resolve()
      })
    })
  }
}
