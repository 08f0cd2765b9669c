import { hasProgram } from '../../../programs.ts'

/** Returns whether this machine lacks one of the programs that judge a test; says which test is skipped. */
export function lacks(test: string, ...programs: readonly string[]): boolean {
  const missing = programs.find(program => !hasProgram(program))
  if (missing !== undefined) console.warn(`the test ${test} is skipped: ${missing} is not installed`)
  return missing !== undefined
}
