import { Command } from 'commander'
import { keepCompiled } from './cli/compile-cache.ts'
import { ownPackage } from './own-package.ts'
import { generateCommand } from './command.ts'

keepCompiled()
await new Command('ninefold').version(ownPackage().version).addCommand(generateCommand()).parseAsync()
