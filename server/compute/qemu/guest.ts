import { spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { qemu } from './accelerator.ts'
import { folderOf, guestProcesses, hasEnded, killProcess, type GuestProcess } from './processes.ts'
import { programEnvironment, ProgramFailed, withPrivateFiles } from './programs.ts'
import { QmpClosed, QmpSession } from './qmp.ts'
import { fileNames, type VmFolder } from './vm-folder.ts'

/** The state of a guest. */
export type GuestState =
  /** The guest runs, or is paused by a change in progress. */
  | 'ON'
  /** The guest has powered itself off; its process is left. */
  | 'SHUT_DOWN'
  /** The process cannot run the guest any more. */
  | 'BROKEN'
  /** The machine has no process. */
  | 'GONE'

/** The time limit for QEMU to begin, in milliseconds. */
const beginMs = 30_000

/** The time limit for QEMU to end after the command `quit`, in milliseconds. */
const quitMs = 5000

/** The maximal length of the errors of QEMU that are kept, in characters. */
const keptErrors = 2000

/** The process of one machine and the session with its monitor. */
export class Guest {
  readonly #folder: VmFolder
  #session: QmpSession | undefined
  #opening: Promise<QmpSession> | undefined

  constructor(folder: VmFolder) {
    this.#folder = folder
  }

  /** Returns the process of the machine; finds the process by its folder if its number has not been written yet. */
  process(): GuestProcess | undefined {
    const { path } = this.#folder
    const pid = this.#writtenPid()
    if (pid !== undefined && folderOf(pid) === path) return { pid, folder: path }
    return guestProcesses(path.slice(0, path.lastIndexOf('/'))).find(({ folder }) => folder === path)
  }

  /** Starts QEMU, and returns once its monitor answers. Throws ProgramFailed with the errors of QEMU. */
  async spawn(words: readonly string[], signal: AbortSignal): Promise<void> {
    this.drop()
    // The socket of an earlier process would make the new process look ready.
    rmSync(this.#folder.file(fileNames.monitor), { force: true })
    const child = withPrivateFiles(() =>
      spawn(qemu, words, {
        cwd: this.#folder.path,
        env: programEnvironment,
        detached: true,
        stdio: ['ignore', 'ignore', 'pipe'],
      }),
    )
    let errors = ''
    let fault: string | undefined
    child.stderr.setEncoding('utf8')
    // The guest can let QEMU print without a limit, so the rest is read and discarded.
    child.stderr.on('data', (text: string) => (errors = (errors + text).slice(0, keptErrors)))
    child.on('error', error => (fault = error.message))
    child.on('close', (code, by) => (fault ??= `ended with ${by ?? code}: ${errors.trim()}`))
    child.unref()
    if ('unref' in child.stderr && typeof child.stderr.unref === 'function') child.stderr.unref()
    const until = performance.now() + beginMs
    while (!this.#folder.has(fileNames.monitor) || !(await this.#answers())) {
      signal.throwIfAborted()
      if (fault !== undefined) throw new ProgramFailed(`${qemu} ${fault}`)
      if (performance.now() > until) throw new ProgramFailed(`${qemu} did not begin within ${beginMs / 1000} s`)
      await sleep(10)
    }
  }

  /** Runs a command of the monitor. Throws QmpError and QmpClosed. */
  async execute(command: string, parameters: object = {}, timeoutMs?: number): Promise<unknown> {
    return (await this.session(timeoutMs)).execute(command, parameters, timeoutMs)
  }

  /** Returns the open session with the monitor; concurrent calls share one session. Throws QmpClosed. */
  session(timeoutMs?: number): Promise<QmpSession> {
    if (this.#session?.isOpen) return Promise.resolve(this.#session)
    this.#opening ??= QmpSession.open(this.#folder.file(fileNames.monitor), timeoutMs)
      .then(session => (this.#session = session))
      .finally(() => (this.#opening = undefined))
    return this.#opening
  }

  /** Returns the state of the guest, and the run state of QEMU (`query-status`), which is empty without a process. */
  async state(timeoutMs?: number): Promise<{ readonly state: GuestState; readonly run: string }> {
    try {
      const run = runStateOf(await this.execute('query-status', {}, timeoutMs))
      if (run === 'shutdown') return { state: 'SHUT_DOWN', run }
      return { state: broken.includes(run) ? 'BROKEN' : 'ON', run }
    } catch (error) {
      if (!(error instanceof QmpClosed)) throw error
      if (!this.process()) return { state: 'GONE', run: '' }
      throw error
    }
  }

  /** Ends the process, and returns once the process has ended. Does nothing without a process. */
  async end(): Promise<void> {
    const running = this.process()
    if (running) {
      // QEMU writes its caches before it ends; a process that does not answer is killed.
      await this.execute('quit', {}, quitMs).catch(() => undefined)
      if (!(await hasEnded(running, quitMs))) await killProcess(running)
    }
    this.drop()
  }

  /** Closes the session with the monitor. */
  drop(): void {
    this.#session?.close()
    this.#session = undefined
  }

  async #answers(): Promise<boolean> {
    return this.session().then(
      () => true,
      () => false,
    )
  }

  #writtenPid(): number | undefined {
    try {
      const text = readFileSync(this.#folder.file(fileNames.process), 'utf8').trim()
      return /^\d{1,10}$/.test(text) ? Number(text) : undefined
    } catch {
      return undefined
    }
  }
}

/** The run states of QEMU after which a guest cannot go on. */
const broken: readonly string[] = ['internal-error', 'guest-panicked']

function runStateOf(answer: unknown): string {
  if (typeof answer === 'object' && answer !== null && 'status' in answer) return String(answer.status)
  throw new Error('QEMU returned no status')
}
