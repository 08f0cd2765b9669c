import { CommandError } from '../exit-codes.ts'
import { printable } from '../printable.ts'

/** The time between two drawings of the bar in milliseconds, and the width of the bar in characters. */
const drawMs = 100
const barWidth = 24

/** A number of files and their bytes. */
interface Amounts {
  files: number
  bytes: number
}

/** The numbers of a running command; a bar on a terminal shows them, and a last line on any output. */
export class Progress {
  readonly #known: Amounts = { files: 0, bytes: 0 }
  readonly #done: Amounts = { files: 0, bytes: 0 }
  readonly #verb: string
  readonly #startedMs = performance.now()
  readonly #hasBar = process.stderr.isTTY && !process.env['CI']
  #unchanged = 0
  #kept = 0
  #failed = 0
  #drawnMs = -Infinity

  /** `verb` is the participle of the last line, such as `copied`. */
  constructor(verb: string) {
    this.#verb = verb
  }

  /** Adds a file of which the command has heard. */
  add(bytes: number): void {
    this.#known.files += 1
    this.#known.bytes += bytes
    this.#draw()
  }

  /** Counts bytes that have arrived. */
  moved(bytes: number): void {
    this.#done.bytes += bytes
    this.#draw()
  }

  /** Counts bytes that an interrupted copy has left. */
  kept(bytes: number): void {
    this.#kept += bytes
    this.#draw()
  }

  /** Counts a file that is done. */
  ended(): void {
    this.#done.files += 1
    this.#draw()
  }

  /** Counts a file that the destination has already. */
  unchanged(bytes: number): void {
    this.#unchanged += 1
    this.#known.files -= 1
    this.#known.bytes -= bytes
  }

  /** Reports a file that could not be treated; the others go on. */
  failed(lines: readonly string[]): void {
    this.#failed += 1
    this.say(lines.join('\n'))
  }

  /** Writes a line to standard error. */
  say(line: string): void {
    this.#clear()
    process.stderr.write(`${line}\n`)
  }

  /** Writes the last line. Throws `CommandError` if a file has failed. */
  end(): void {
    const { bytes, files } = this.#done
    const seconds = (performance.now() - this.#startedMs) / 1000
    const speed =
      bytes === 0 ? '' : `, ${bytesText(bytes)} in ${seconds.toFixed(1)} s (${bytesText(bytes / seconds)}/s)`
    const unchanged = this.#unchanged === 0 ? '' : `, ${this.#unchanged} unchanged`
    const kept = this.#kept === 0 ? '' : `; ${bytesText(this.#kept)} were there from an interrupted copy`
    this.say(`${this.#verb} ${counted(files)}${unchanged}${speed}${kept}`)
    if (this.#failed > 0) throw new CommandError(`${counted(this.#failed)} failed, as said above`, 1)
  }

  #draw(): void {
    const now = performance.now()
    if (!this.#hasBar || now - this.#drawnMs < drawMs) return
    this.#drawnMs = now
    const { bytes, files } = this.#known
    const present = this.#done.bytes + this.#kept
    const share = bytes === 0 ? 0 : Math.min(1, present / bytes)
    const filled = Math.floor(share * barWidth)
    const bar = '#'.repeat(filled).padEnd(barWidth, '.')
    const rate = this.#done.bytes / ((now - this.#startedMs) / 1000)
    this.#clear()
    const line =
      `[${bar}] ${Math.floor(share * 100)} %  ${this.#done.files}/${files} files  ` +
      `${bytesText(present)} of ${bytesText(bytes)}  ${bytesText(rate)}/s`
    // A longer line would wrap, and each drawing would leave a line of it.
    process.stderr.write(line.slice(0, process.stderr.columns - 1))
  }

  #clear(): void {
    if (this.#hasBar) process.stderr.write('\r\u001b[K')
  }
}

const counted = (files: number): string => (files === 1 ? '1 file' : `${files} files`)

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** Returns a number of bytes for people: `1.5 GiB`. */
export function bytesText(bytes: number): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  const value = bytes / 1024 ** power
  return `${power === 0 ? Math.round(value) : value.toFixed(1)} ${units[power]}`
}

/** Returns a name on one line, in quotes if it has spaces. */
export const shownName = (name: string): string => (/\s/.test(name) ? `"${printable(name)}"` : printable(name))
