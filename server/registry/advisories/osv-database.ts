import { join } from 'node:path'
import { setImmediate as otherWork } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Advisories, AdvisoryState, Finding } from '../../../domain/registry/scanning/advisories.ts'
import type { FoundPackage } from '../../../domain/registry/scanning/inventory.ts'
import { compareFindings } from '../../../domain/registry/scanning/osv/findings.ts'
import { subjectsOf } from '../../../domain/registry/scanning/osv/subjects.ts'
import { sortInTurns } from '../../../domain/registry/values/sort-in-turns.ts'
import type { Log } from '../../log.ts'
import { advisoryFileName } from './advisory-file.ts'
import { AdvisoryReader } from './advisory-reader.ts'
import { matchSubject } from './match-subject.ts'
import type { FromImport, ImportWork } from './thread-messages.ts'

/** The longest time in milliseconds for which matching holds the event loop. */
const sliceMs = 5

/** The time between two looks at the folder, and before a failed thread is started again, in milliseconds. */
const lookMs = 60_000

/** The parts of a database of advisories. */
export interface OsvDatabaseParts {
  /** The folder of the operator with records of OSV. */
  readonly folder: string
  /** The folder for the file that is made from them. */
  readonly dataDir: string
  readonly log: Log
  /** The time between two looks at the folder in milliseconds; absent: a minute. */
  readonly everyMs?: number
}

/** Yields the findings about packages, and undefined where the caller may pause. */
function* matches(
  reader: AdvisoryReader,
  packages: readonly FoundPackage[],
): Generator<Finding | undefined, void, undefined> {
  for (const subject of subjectsOf(packages)) {
    yield undefined
    if (subject !== undefined) yield* matchSubject(reader, subject)
  }
}

/**
 * The advisories of a folder. A thread keeps a file of SQLite equal to the folder; this class reads the file, and opens
 * it again after each import.
 */
export class OsvDatabase implements Advisories {
  readonly #parts: OsvDatabaseParts
  readonly #file: string
  #reader: AdvisoryReader | undefined
  #thread: Worker | undefined
  #restart: NodeJS.Timeout | undefined
  #isEnded = false
  /** The last failure, which is logged once. */
  #failure = ''

  /** Opens the advisories of the last import, and starts the thread. */
  constructor(parts: OsvDatabaseParts) {
    this.#parts = parts
    this.#file = join(parts.dataDir, advisoryFileName)
    this.#open()
    this.#start()
  }

  state(): AdvisoryState | undefined {
    return this.#reader?.state
  }

  async match(packages: readonly FoundPackage[], signal: AbortSignal): Promise<readonly Finding[]> {
    signal.throwIfAborted()
    const reader = this.#reader
    if (reader === undefined) return []
    return reader.use(async () => {
      const findings: Finding[] = []
      let until = performance.now() + sliceMs
      for (const finding of matches(reader, packages)) {
        if (finding !== undefined) findings.push(finding)
        if (performance.now() < until) continue
        await otherWork()
        signal.throwIfAborted()
        until = performance.now() + sliceMs
      }
      return sortInTurns(findings, compareFindings)
    })
  }

  /** Ends the thread, and closes the file once no scan reads it. */
  async end(): Promise<void> {
    this.#isEnded = true
    clearTimeout(this.#restart)
    await this.#thread?.terminate()
    this.#reader?.retire()
  }

  #open(): void {
    const reader = AdvisoryReader.open(this.#file)
    if (reader === undefined) return
    this.#reader?.retire()
    this.#reader = reader
  }

  #start(): void {
    const { everyMs = lookMs, folder, log } = this.#parts
    const work: ImportWork = { folder, file: this.#file, everyMs }
    // The ending is that of this file, because compiled code has another ending.
    const program = new URL(import.meta.url.replace(/[^/]*\.([^.]*)$/, 'import-thread.$1'))
    const thread = new Worker(program, { workerData: work, name: 'registry advisories' })
    this.#thread = thread
    thread.unref()
    thread.on('message', (message: FromImport) => this.#receive(message))
    thread.on('error', err => log.error({ err }, 'the import of advisories has failed, and is started again'))
    thread.once('exit', () => {
      if (!this.#isEnded) this.#restart = setTimeout(() => this.#start(), everyMs).unref()
    })
  }

  #receive(message: FromImport): void {
    const { folder, log } = this.#parts
    if (this.#isEnded) return
    if (message.kind === 'failed') {
      if (message.message !== this.#failure) {
        log.error({ folder, fault: message.message }, 'the advisories cannot be read; see registry.osv_dir')
      }
      this.#failure = message.message
      return
    }
    this.#failure = ''
    if (message.kind === 'equal') return
    this.#open()
    const { faults, read, records, seconds } = message
    for (const fault of faults) log.warn({ folder, ...fault }, 'a file of advisories is broken')
    log.info({ folder, files: read, records, seconds }, 'advisories were imported')
  }
}
