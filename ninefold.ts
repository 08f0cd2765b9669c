#!/usr/bin/env node
import { Command } from 'commander'
import { apiCommand } from './cli/api.ts'
import { completionCommand } from './cli/completion.ts'
import { activateCommand, loginCommand, logoutCommand } from './cli/login.ts'
import { storageCommand } from './cli/storage.ts'
import { ownPackage } from './generator/own-package.ts'
import { generateCommand } from './generator/command.ts'
import { keepCompiled } from './generator/cli/compile-cache.ts'
import { missingPackage } from './generator/cli/missing-package.ts'

/**
 * Creates a command of the server's program. The program parses the options of its commands itself, so the program is
 * loaded only when one of its commands runs.
 */
const serverCommand = (name: string, description: string): Command =>
  new Command(name)
    .description(description)
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async (_, command: Command) => {
      try {
        await import('./server/main.ts')
      } catch (error) {
        const missing = missingPackage(error)
        if (missing === undefined) throw error
        command.error(`error: ${name} needs the package "${missing}", which is not installed: npm install ${missing}`)
      }
    })

const statusCommand = (): Command =>
  new Command('status')
    .description('list what is left to build of the platform, by area and resource')
    .option('--json', 'print it for programs')
    .action(async (flags: { readonly json?: true }) => {
      const { statusReport } = await import('./server/status/report.ts')
      console.log(await statusReport(flags))
    })

keepCompiled()
await new Command('ninefold')
  .description('schema-first OpenAPI generator, and the platform built with it')
  .version(ownPackage().version)
  .addCommand(generateCommand())
  .addCommand(serverCommand('serve', 'serve the platform on this machine until it is interrupted'))
  .addCommand(loginCommand())
  .addCommand(activateCommand())
  .addCommand(logoutCommand())
  .addCommand(apiCommand())
  .addCommand(storageCommand())
  .addCommand(completionCommand())
  .addCommand(statusCommand())
  .addCommand(serverCommand('doctor', 'check what the data folder holds; may be run while a server is'))
  .addCommand(serverCommand('backup', 'write what the store holds into one file; may be run while a server is'))
  .addCommand(serverCommand('restore', 'make a backup the store of the data folder; no server may run on it'))
  .addCommand(serverCommand('iam', 'make service accounts and their keys; may be run while a server is'))
  .addCommand(serverCommand('vault', 'restore the vault from a snapshot; no server may run'))
  .parseAsync()
