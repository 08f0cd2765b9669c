import { TemplateError } from '../emit/templates/template-error.ts'
import { fileProblem, OutputError } from '../write/output-error.ts'
import { printable, quoted } from '../write/quoted.ts'
import type { Invocation } from './invocation.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

/**
 * Formats the error of a failed run as lines for a person. `withStack` adds the stack if the error is a defect of the
 * generator; a mistyped path never needs a stack.
 */
export function explain(error: unknown, withStack: boolean): string[] {
  if (error instanceof OutputError) return error.problems.map(problem => `error: ${problem}`)
  if (error instanceof UsageError) return [`error: ${error.message}`]
  if (error instanceof TemplateError) return [printable(`error: ${error.message}`)]
  const problem = fileProblem(error)
  if (problem !== undefined && error instanceof Error && 'path' in error) {
    return [`error: cannot use ${quoted(String(error.path))}: ${problem}`]
  }
  const message = printable(error instanceof Error ? `${error.name}: ${error.message}` : String(error))
  const line = `error: this is a defect of the generator, please report it: ${message}`
  const stack = error instanceof Error ? error.stack : undefined
  return withStack && stack !== undefined ? [line, stack] : [`${line}; --timings shows where`]
}

/** Prints an error on the terminal and returns the exit status 1. */
export function printError(error: unknown, { timings }: Invocation, terminal: Terminal): 1 {
  for (const line of explain(error, timings || Boolean(process.env.DEBUG))) terminal.err(line)
  return 1
}
