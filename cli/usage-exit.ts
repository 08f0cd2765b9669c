import { Command } from 'commander'
import { exitCodes } from './exit-codes.ts'

/** A command whose wrong use ends with the status for that; help is none. */
export const calledRightly = (name: string): Command =>
  new Command(name).exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? exitCodes.done : exitCodes.usage))
