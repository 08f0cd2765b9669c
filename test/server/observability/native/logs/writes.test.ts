import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { SignalPlaces } from '../../../../../server/observability/native/files/places.ts'
import { LogReader } from '../../../../../server/observability/native/logs/reading/log-reader.ts'
import { streamsOf } from '../../../../../server/observability/native/logs/reading/streams-of.ts'
import { dayMs, newWorkspace, noon } from '../engines.ts'
import { at, entry, logBatch, logLimits, testLogEngine } from './log-engines.ts'

const api = { service_name: 'api' }
const web = { service_name: 'web' }

const { signal } = new AbortController()

describe('logs in files', () => {
  it('have a list of streams that ends with the signal of its caller', async () => {
    const { engine, folder } = testLogEngine(onTestFinished)
    const workspace = newWorkspace()
    await engine.write(workspace, logBatch([api, [entry(at(noon), 'line')]]), logLimits)
    const times = { from: 0n, before: at(noon + 1), now: noon }
    const caller = new AbortController()
    const asked = engine.streams(workspace, times, caller.signal)
    caller.abort(new Error('the caller has gone'))
    await expect(asked).rejects.toThrow('the caller has gone')
    await expect.poll(() => engine.load.readers).toEqual({ running: 0, waiting: 0 })
    const reader = LogReader.open(new SignalPlaces(join(folder, 'observability'), workspace, 'logs'), () => {})
    reader?.refresh(undefined)
    const streams = (isAborted: boolean) => reader && streamsOf(reader, { times, now: noon }, () => isAborted)
    expect(streams(false)).toHaveLength(1)
    expect(() => streams(true)).toThrow('the engine was interrupted')
    reader?.close()
  })

  it('are read with all their members, by stream and time', async () => {
    const { engine, query } = testLogEngine(onTestFinished)
    const workspace = newWorkspace()
    const metadata = { host: 'one', text: 'ä😀' }
    const severity = 'OBSERVABILITY_LOG_SEVERITY_ERROR'
    const ids = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) }
    const first = entry(at(noon, 123_456), 'first\nline 😀', { metadata, severity, ...ids })
    const result = await engine.write(
      workspace,
      logBatch([api, [entry(at(noon, 123_457), ''), first]], [web, [entry(at(noon - 2 * dayMs), 'old')]]),
      logLimits,
    )
    expect(result).toEqual({ accepted: 3, bytes: 18, rejections: {}, message: '', lastNumber: 3 })
    const { streams } = await query(workspace, '{service_name="api"}')
    expect(streams.flatMap(({ entries }) => entries)).toEqual([
      {
        time: '2026-11-30T10:00:00.000123456Z',
        line: 'first\nline 😀',
        metadata,
        severity,
        trace_id: ids.traceId,
        span_id: ids.spanId,
        ingest_time: '2026-11-30T10:00:00.000Z',
      },
      {
        time: '2026-11-30T10:00:00.000123457Z',
        line: '',
        metadata: {},
        severity: 'OBSERVABILITY_LOG_SEVERITY_UNSPECIFIED',
        trace_id: '',
        span_id: '',
        ingest_time: '2026-11-30T10:00:00.000Z',
      },
    ])
    const bounded = await query(workspace, '{service_name="api"}', { start: at(noon, 123_457) })
    expect(bounded.streams).toHaveLength(1)
  })

  it('are refused above the limit of streams, in the future, and before the retention', async () => {
    const { engine, linesOf } = testLogEngine(onTestFinished)
    const workspace = newWorkspace()
    const limits = { ...logLimits, logStreams: 1 }
    const entries = [
      entry(at(noon), 'kept'),
      entry(at(noon + 600_001), 'future'),
      entry(at(noon - 30 * dayMs - 1), 'old'),
    ]
    const { accepted, message, rejections } = await engine.write(
      workspace,
      logBatch([api, entries], [web, [entry(at(noon), 'second stream')]]),
      limits,
    )
    expect({ accepted, message, rejections }).toEqual({
      accepted: 1,
      message: 'an entry has a time more than 10 minutes in the future',
      rejections: { future: 1, too_old: 1, stream_limit: 1 },
    })
    expect(await linesOf(workspace, '{service_name="api"}')).toEqual(['kept'])
  })

  it('are found by texts that begin and end anywhere in a line, before and after compaction', async () => {
    const running = testLogEngine(onTestFinished)
    const workspace = newWorkspace()
    const filler = 'x'.repeat(400)
    // 12,000 lines of 400 bytes make parts of more than 4 MiB, which are compacted.
    const lines = Array.from({ length: 12_000 }, (_, i) => `${i} ${filler} needle-${i}${i % 3000 === 0 ? ' rare' : ''}`)
    const entries = lines.map((line, i) => entry(at(noon - 1000, i), line))
    for (let i = 0; i < entries.length; i += 3000)
      await running.engine.write(workspace, logBatch([api, entries.slice(i, i + 3000)]), logLimits)
    const wanted = lines.filter(line => line.includes('rare'))
    expect(await running.linesOf(workspace, '{service_name="api"} |= "rare"')).toEqual(wanted)
    await expect
      .poll(
        async () => (await running.query(workspace, '{service_name="api"} |= "needle-11999"')).stats.entries_scanned,
        { timeout: 60_000 },
      )
      .toBeLessThan(2000)
    expect(await running.linesOf(workspace, '{service_name="api"} |= "rare"')).toEqual(wanted)
    expect(await running.linesOf(workspace, '{service_name="api"} |= "11999 x"')).toEqual([lines[11_999]])
    expect(await running.linesOf(workspace, '{service_name="api"} |= "0 x" |= "rare"')).toEqual(wanted)
    expect(await running.linesOf(workspace, '{service_name="api"} |= "rare1"')).toEqual([])
    const [stream] = await running.engine.streams(workspace, { from: 0n, before: at(noon), now: noon }, signal)
    expect(stream).toMatchObject({
      entry_count: 12_000,
      bytes: lines.reduce((sum, { length }) => sum + length, 0),
      last_time: '2026-11-30T09:59:59.000011999Z',
    })
  })
})
