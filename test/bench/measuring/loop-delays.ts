/** The interval of the samples of the event loop of a server, in milliseconds. */
const sampleMs = 10

/** The delays of an event loop, in milliseconds. */
export interface LoopDelays {
  readonly p99: number
  readonly max: number
}

/**
 * Returns the delays of the event loop of a server since the last request for its metrics. The server takes a sample
 * every 10 ms, and a sample contains this interval.
 */
export async function loopDelays({ url }: { readonly url: string | URL }): Promise<LoopDelays> {
  const text = await (await fetch(new URL('/metrics', url))).text()
  const of = (name: string): number => {
    const [, seconds] = new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)$`, 'm').exec(text) ?? []
    return Math.max(0, Number(seconds) * 1000 - sampleMs)
  }
  return { p99: of('p99'), max: of('max') }
}
