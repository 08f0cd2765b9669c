import { Command } from 'commander'
import { ownPackage } from './cli/package-root.ts'
import { generateCommand } from './command.ts'

await new Command('ninefold').version(ownPackage().version).addCommand(generateCommand()).parseAsync()
