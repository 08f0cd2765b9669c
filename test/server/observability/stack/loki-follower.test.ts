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
const query = '{service_name=~".+"} |= "wanted" | drop pod'

/** Returns a store with a follower, whose clock stands at `now` milliseconds after the beginning. */
async function followed() {
  const store = new LokiStore()
  const member = await apiMember('logs_url', request => store.serve(request))
  const follower = new LokiFollower(new LokiApi(member.client))
  const labels = (service: string) => ({ service_name: service, workspace_id: workspace })
  return {
    member,
    follower,
    add: (ms: number, line: string, service = 'api', metadata = {}) =>
      store.add(labels(service), nanos(begun + ms), line, metadata),
    /** Adds an entry of a pod, whose label the query of `readAll` drops. */
    addOfPod: (pod: string, ms: number, line: string) => store.add({ ...labels('api'), pod }, nanos(begun + ms), line),
    addNanos: (time: bigint, line: string) => store.add(labels('api'), nanos(begun) + time, line),
    begin: (now: number, since?: number) =>
      follower.begin(
        workspace,
        { query, since: since === undefined ? undefined : nanos(begun + since), now: begun + now },
        signal,
      ),
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

  it.each([1, 2, 100])('shows each of many entries that look alike, %i at a time', async limit => {
    const { addOfPod, begin, readAll } = await followed()
    const position = await begin(0)
    const [alike, later] = [Array.from({ length: 150 }, () => 'wanted alike'), ['wanted later']]
    for (const pod of alike.keys()) addOfPod(String(pod), 100, 'wanted alike')
    addOfPod('x', 200, 'wanted later')
    const { lines, position: last } = await readAll(position, secondMs, limit)
    expect(lines).toEqual([...alike, ...later])
    addOfPod('late', 100, 'wanted alike')
    expect((await readAll(last, secondMs, limit)).lines).toEqual(['wanted alike'])
  })

  it('shows entries of the future at their time, and others meanwhile', async () => {
    const { add, begin, readAll } = await followed()
    for (let i = 0; i < 100; i += 1) add(240_000 + i, `wanted early ${i}`)
    let position = await begin(0)
    for (let i = 100; i < 3_000; i += 1) add(240_000 + i, `wanted early ${i}`)
    const meanwhile: string[] = []
    for (let second = 1; second <= 20; second += 1) {
      add(second * secondMs, `wanted ${second}`)
      const read = await readAll(position, second * secondMs, 500)
      meanwhile.push(...read.lines)
      position = read.position
    }
    expect(meanwhile).toEqual(Array.from({ length: 20 }, (_, i) => `wanted ${i + 1}`))
    expect((await readAll(position, 250_000, 1_000)).lines).toHaveLength(3_000)
  })

  it('begins behind all entries of a busy store', async () => {
    const { add, begin, readAll } = await followed()
    for (let i = 0; i < 3_000; i += 1) add(-i, `wanted before ${i}`)
    const position = await begin(0)
    add(secondMs, 'wanted after')
    expect((await readAll(position, secondMs, 100)).lines).toEqual(['wanted after'])
  })

  it.each([
    ['lines', (i: number) => [`wanted ${i} ${'x'.repeat(20_000)}`, {}] as const],
    ['metadata', (i: number) => [`wanted ${i}`, { large: 'x'.repeat(20_000) }] as const],
  ])('goes on where answers with large %s have too many bytes', async (_, entryOf) => {
    const { add, begin, readAll } = await followed()
    const addAt = (i: number, ms: number): string => {
      const [line, metadata] = entryOf(i)
      add(ms, line, 'api', metadata)
      return line
    }
    for (let i = 0; i < 700; i += 1) addAt(i, i - 1_000)
    const now = await begin(0)
    const sent = Array.from({ length: 700 }, (__, i) => addAt(1_000 + i, i))
    expect((await readAll(now, secondMs, 1_000)).lines).toEqual(sent)
    const { lines } = await readAll(await begin(0, -2 * secondMs), secondMs, 300)
    expect(lines).toHaveLength(1_400)
  })

  it('takes entries of times that it has not asked for as the fault of the member', async () => {
    const { begin, follower, member } = await followed()
    const position = await begin(0)
    const stream = { service_name: 'api', workspace_id: workspace }
    const values = [[String(nanos(begun - dayMs)), 'wanted']]
    const body = { status: 'success', data: { resultType: 'streams', result: [{ stream, values }] } }
    const other = new LokiFollower(new LokiApi((await apiMember('logs_url', () => ({ body }))).client))
    const read = { query, after: position, limit: 1, now: begun }
    await expect(other.read(workspace, read, signal)).rejects.toMatchObject({ reason: 'ENGINE_UNAVAILABLE' })
    expect((await follower.read(workspace, read, signal)).entries).toEqual([])
    expect(member.requests.length).toBeGreaterThan(0)
  })

  it('reads less often from a busy store', async () => {
    const { follower } = await followed()
    expect([10, 500, 60_000].map(took => follower.pauseMs(took, false))).toEqual([500, 2_000, 5_000])
    expect(follower.pauseMs(10, true)).toBe(100)
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
