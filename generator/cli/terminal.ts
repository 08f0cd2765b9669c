/** Where a command's texts go; each call ends with a line end of its own. */
export interface Terminal {
  /** Results. */
  out(text: string): void
  /** Messages about faults, and times. */
  err(text: string): void
}

export const processTerminal: Terminal = {
  out: text => void process.stdout.write(`${text}\n`),
  err: text => void process.stderr.write(`${text}\n`),
}
