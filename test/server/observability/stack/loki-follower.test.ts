import { describe, expect, it } from 'vitest'
import type { FollowedPosition } from '../../../../domain/observability/logs/log-follower.ts'
import { LokiApi } from '../../../../server/observability/stack/logs/loki-api.ts'
import { LokiFollower } from '../../../../server/observability/stack/logs/loki-follower.ts'
import { seeded } from '../../../areas/random.ts'
import { apiMember, workspace } from './api-member.ts'
import { LokiStore } from './loki-store.ts'

const begun = Date.UTC(2026, 10, 30, 10)
const [secondMs, dayMs] = [1_000, 86_400_000] as const
const nanos = (ms: number): bigint => BigInt(ms) * 1_000_000n
const signal = new AbortController().signal
const query = '{service_name=~".+"} |= "wanted"'

/** Returns a store with a follower, whose clock stands at `now` milliseconds after the beginning. */
async function followed() {
  const store = new LokiStore()
  const member = await apiMember('logs_url', request => store.serve(request))
  const follower = new LokiFollower(new LokiApi(member.client))
  const labels = (service: string) => ({ service_name: service, workspace_id: workspace })
  return {
    member,
    follower,
    add: (ms: number, line: string, service = 'api') => store.add(labels(service), nanos(begun + ms), line),
    addNanos: (time: bigint, line: string) => store.add(labels('api'), nanos(begun) + time, line),
    begin: (now: number, since?: number) =>
      follower.begin(workspace, { query, since: since && begun + since, now: begun + now }, signal),
    /** Reads until nothing is left, and returns the lines with the last position. */
    async readAll(after: FollowedPosition, now: number, limit: number) {
      const lines: string[] = []
      let position = after
      for (;;) {
        const page = await follower.read(workspace, { query, after: position, limit, now: begun + now }, signal)
        expect(page.entries.length).toBeLessThanOrEqual(limit)
        lines.push(...page.entries.map(({ line }) => line))
        position = page.position
        if (page.entries.length === 0 && !page.hasMore) return { lines, position }
      }
    },
  }
}

describe('a tail of logs in Loki', () => {
  it.each(Array.from({ length: 6 }, (_, seed) => seed))(
    'shows each entry once, also those that arrive late, from the seed %i',
    async seed => {
      const { below, oneOf, percent } = seeded(seed)
      const { add, begin, readAll } = await followed()
      let now = 0
      let count = 0
      const added: string[] = []
      /** Adds an entry with a time of the last fifty seconds; some have equal times. */
      const arrive = (): string => {
        const line = `wanted ${(count += 1)}`
        add(Math.floor((now - below(50_000)) / 500) * 500, line, oneOf(['api', 'web', 'db']))
        return line
      }
      for (let i = 0; i < 40; i += 1) arrive()
      let position = await begin(now)
      const seen: string[] = []
      for (let step = 0; step < 40; step += 1) {
        now += below(20_000)
        for (let i = below(30); i > 0; i -= 1) added.push(arrive())
        if (percent(30)) continue
        const read = await readAll(position, now, 1 + below(40))
        seen.push(...read.lines)
        // An answer that is lost is asked for again with the cursor before.
        if (percent(20)) {
          const repeated = await readAll(position, now, 1 + below(40))
          expect(repeated.lines.toSorted()).toEqual(read.lines.toSorted())
        }
        position = read.position
      }
      seen.push(...(await readAll(position, now, 100)).lines)
      expect(seen.toSorted()).toEqual(added.toSorted())
    },
  )

  it('shows the entries of a page in the order of their times', async () => {
    const { add, begin, readAll } = await followed()
    const position = await begin(0)
    for (const ms of [900, 100, 500, 300]) add(ms, `wanted ${ms}`, ms > 400 ? 'web' : 'api')
    expect((await readAll(position, secondMs, 100)).lines).toEqual([100, 300, 500, 900].map(ms => `wanted ${ms}`))
  })

  it('shows many entries of one second, and of one nanosecond', async () => {
    const { addNanos, begin, readAll } = await followed()
    const position = await begin(0)
    const sent = Array.from({ length: 3_500 }, (_, i) => `wanted ${i}`)
    for (const [i, line] of sent.entries()) addNanos(i < 2_000 ? 5n : BigInt(i) * 1_000n, line)
    const { lines, position: last } = await readAll(position, secondMs, 700)
    expect(lines.toSorted()).toEqual(sent.toSorted())
    expect(new Set(lines).size).toBe(sent.length)
    expect(JSON.stringify(last).length).toBeLessThan(30_000)
  })

  it('that begins days ago goes through them a day at a time', async () => {
    const { add, begin, member, readAll } = await followed()
    const days = Array.from({ length: 40 }, (_, day) => day).filter(day => day % 9 === 0)
    for (const day of days) add(-day * dayMs - secondMs, `wanted ${day}`)
    add(-41 * dayMs, 'wanted before')
    const position = await begin(0, -40 * dayMs)
    expect((await readAll(position, 0, 100)).lines).toEqual(days.toReversed().map(day => `wanted ${day}`))
    for (const { parameters } of member.requests) {
      const [start, end] = ['start', 'end'].map(name => BigInt(parameters.get(name) ?? 0))
      expect((end ?? 0n) - (start ?? 0n)).toBeLessThanOrEqual(nanos(dayMs))
    }
  })

  it('reads no more than the last minute once it has shown all before', async () => {
    const { add, begin, member, readAll } = await followed()
    let position = await begin(0)
    for (let minute = 1; minute <= 5; minute += 1) {
      add(minute * 60_000, `wanted ${minute}`)
      position = (await readAll(position, minute * 60_000, 10)).position
    }
    const start = BigInt(member.requests.at(-1)?.parameters.get('start') ?? 0)
    expect(start).toBe(nanos(begun + 4 * 60_000))
  })

  it('remembers long lines within bounds, and shows what came before them', async () => {
    const { add, begin, readAll } = await followed()
    let position = await begin(0)
    const sent = Array.from({ length: 30 }, (_, i) => `wanted ${i} ${'x'.repeat(100_000)}`)
    const seen: string[] = []
    for (const [i, line] of sent.entries()) {
      add(i * 100, line)
      const read = await readAll(position, i * 100, 10)
      seen.push(...read.lines)
      position = read.position
    }
    expect(seen).toEqual(sent)
    // A read gets the lines that are remembered again: two mebibytes of them.
    expect(position[1]?.length).toBeLessThanOrEqual(21 * 8)
  })

  it('that begins in the future waits', async () => {
    const { add, begin, readAll } = await followed()
    const position = await begin(0, 2 * dayMs)
    add(secondMs, 'wanted too early')
    const { lines, position: same } = await readAll(position, 2 * secondMs, 10)
    expect([lines, same]).toEqual([[], position])
    add(2 * dayMs + secondMs, 'wanted then')
    expect((await readAll(position, 2 * dayMs + 2 * secondMs, 10)).lines).toEqual(['wanted then'])
  })
})
