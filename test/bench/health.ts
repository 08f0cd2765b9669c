import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Counter, Histogram, Registry } from 'prom-client'
import type { Store } from '../../domain/ports/store.ts'
import type { LogEntry } from '../../runtime/outcome.ts'
import type { WireRequest } from '../../runtime/wire.ts'
import { createClock } from '../../server/clock.ts'
import { Meters } from '../../server/meters/meters.ts'
import { MeteredStore } from '../../server/meters/store-meter.ts'
import { Admission } from '../../server/http/admission.ts'
import { defaultHttpLimits } from '../../server/http/limits.ts'
import { Turns } from '../../server/http/turns.ts'
import { openSqlite } from '../../server/store/sqlite.ts'
import type { Group } from './measuring/in-process.ts'
import { measure } from './measuring/rounds.ts'
import { printGroup } from './measuring/table.ts'
import { trivialService } from './measuring/trivial-service.ts'

const request: WireRequest = {
  method: 'GET',
  target: '/made/v1/greetings/g',
  headers: { host: '127.0.0.1' },
  body: undefined,
  signal: new AbortController().signal,
  clientAddress: '127.0.0.1',
}

/** Returns the contenders that call an empty handler, with and without the counts and limits of the server. */
function callGroup(): Group {
  const silent = { debug() {}, info() {}, warn() {}, error() {} }
  const meters = new Meters()
  const bare = trivialService()
  const counted = trivialService(entry => meters.calls.record(entry))
  const parts = { clock: createClock(), log: silent, meters }
  const admission = new Admission(defaultHttpLimits.maxInFlight, new Turns(), parts, { outside: { name: 'made' } })
  const admitted = admission.admit(trivialService(entry => meters.calls.record(entry)))
  return {
    title: 'a call with a handler that does nothing',
    contenders: [
      { name: 'dispatcher', units: 1, run: () => bare(request) },
      { name: 'dispatcher, counted', units: 1, run: () => counted(request) },
      { name: 'dispatcher, counted and bounded', units: 1, run: () => admitted(request) },
    ],
  }
}

/**
 * Returns the contenders that count one call: the meters of the server, and a counter and a histogram of prom-client
 * with prepared labels.
 */
function recordGroup(): Group {
  const meters = new Meters()
  const operation = { area: 'made', operationId: 'getGreeting', permission: '' }
  const entry: LogEntry = {
    requestId: '',
    traceId: '',
    traceparent: { request: undefined, answer: '' },
    method: 'GET',
    path: '/',
    operationId: 'getGreeting',
    operation,
    principalId: undefined,
    clientAddress: '127.0.0.1',
    status: 200,
    code: 'OK',
    reason: undefined,
    milliseconds: 0.3,
  }
  const registers = [new Registry()]
  const labelNames = ['area', 'operation', 'code']
  const counter = new Counter({ name: 'calls', help: 'calls', labelNames, registers }).labels(
    'made',
    'getGreeting',
    'OK',
  )
  const histogram = new Histogram({ name: 'seconds', help: 'seconds', labelNames, registers }).labels(
    'made',
    'getGreeting',
    'OK',
  )
  return {
    title: 'counting one call',
    contenders: [
      { name: 'CallMeter', units: 1, run: () => meters.calls.record(entry) },
      {
        name: 'prom-client, labels given beforehand',
        units: 1,
        run: () => {
          counter.inc()
          histogram.observe(entry.milliseconds / 1000)
        },
      },
    ],
  }
}

/** Returns the contenders that run a transaction without statements, with and without the meter. */
function storeGroup(store: Store): Group {
  const metered = new MeteredStore(store, new Meters().store)
  const nothing = async (): Promise<void> => {}
  return {
    title: 'a transaction without statements',
    contenders: [
      { name: 'SQLite', units: 1, run: () => store.tx(nothing) },
      { name: 'SQLite, measured', units: 1, run: () => metered.tx(nothing) },
    ],
  }
}

/** This program prints the costs of counting and limiting calls. */

const folder = mkdtempSync(join(tmpdir(), 'ninefold-bench-'))
const store = await openSqlite({ file: join(folder, 'store.sqlite') })
for (const { title, contenders } of [callGroup(), recordGroup(), storeGroup(store)]) {
  const times = await measure(contenders)
  printGroup(
    title,
    contenders.map(({ name }, index) => [name, times[index] ?? Number.NaN]),
  )
}
await store.close()
rmSync(folder, { recursive: true })
