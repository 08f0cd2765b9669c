import { StringDecoder } from 'node:string_decoder'
import type { SerialLine, SerialOutput } from '../../../domain/compute/drivers/telemetry.ts'

/** The bounds of the lines of one machine that wait to be forgotten, and the length at which a line is cut. */
const [maxLines, maxCharacters, maxLineCharacters] = [256, 65_536, 4096]

interface Written {
  readonly decoder: StringDecoder
  /** The beginning of a line whose end the guest has not written. */
  rest: string
  lines: readonly SerialLine[]
}

/** The lines that guests have written to their serial ports, until the lines are forgotten. Memory is bounded. */
export class SerialLines {
  readonly #machines = new Map<string, Written>()

  /**
   * Adds output of a machine. A line without an end, such as a prompt, is complete once a call adds no bytes, because
   * the guest then waits.
   */
  add(vm: string, bytes: Uint8Array, at_ms: number): void {
    const written = this.#machines.get(vm) ?? { decoder: new StringDecoder('utf8'), rest: '', lines: [] }
    if (bytes.length === 0 && written.rest === '') return
    const texts = (written.rest + written.decoder.write(bytes)).split('\n').flatMap(pieces)
    written.rest = bytes.length === 0 ? '' : (texts.pop() ?? '')
    const added = texts.map(plain).filter(text => text !== '')
    written.lines = bounded([...written.lines, ...added.map(text => ({ at_ms, text }))])
    this.#machines.set(vm, written)
  }

  /** Returns the lines of each machine, the earliest first. */
  waiting(): readonly SerialOutput[] {
    return [...this.#machines].flatMap(([vm, { lines }]) => (lines.length === 0 ? [] : [{ vm, lines }]))
  }

  /** Forgets lines that `waiting` has returned. */
  forget({ lines, vm }: SerialOutput): void {
    const written = this.#machines.get(vm)
    const forgotten = new Set(lines)
    if (written) written.lines = written.lines.filter(line => !forgotten.has(line))
  }

  /** Forgets a machine. */
  drop(vm: string): void {
    this.#machines.delete(vm)
  }
}

/** Cuts a line into pieces of at most `maxLineCharacters` characters. */
function pieces(line: string): readonly string[] {
  const count = Math.max(1, Math.ceil(line.length / maxLineCharacters))
  return Array.from({ length: count }, (_, i) => line.slice(i * maxLineCharacters, (i + 1) * maxLineCharacters))
}

/** Removes the escape sequences and control characters of terminals, which act on the terminal of a reader. */
const plain = (text: string): string =>
  text.replaceAll(/\u001b(?:\[[\d;?]*[ -/]*[@-~]|[()][\dA-B]|[^[()])/gu, '').replaceAll(/[^\P{Cc}\t]/gu, '')

function bounded(lines: readonly SerialLine[]): readonly SerialLine[] {
  let first = lines.length
  let characters = 0
  while (first > 0 && lines.length - first < maxLines) {
    characters += lines[first - 1]?.text.length ?? 0
    if (characters > maxCharacters) break
    first -= 1
  }
  return lines.slice(first)
}
