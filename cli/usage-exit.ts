import { Command } from 'commander'
import { exitCodes } from './exit-codes.ts'

/** Creates a command that exits with `usage` after wrong use, and with `done` after its help. */
export const strictCommand = (name: string): Command =>
  new Command(name).exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? exitCodes.done : exitCodes.usage))
