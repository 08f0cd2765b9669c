/** The text output of a command. Each method prints a line end after its text. */
export interface Terminal {
  /** Prints a result. */
  out(text: string): void
  /** Prints a message about a fault, or the times of a run. */
  err(text: string): void
}

/** The terminal of this process: results go to stdout, and messages to stderr. */
export const processTerminal: Terminal = {
  out: text => void process.stdout.write(`${text}\n`),
  err: text => void process.stderr.write(`${text}\n`),
}
