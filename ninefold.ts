#!/usr/bin/env node
import { Command } from 'commander'
import { ownPackage } from './generator/cli/package-root.ts'
import { generateCommand } from './generator/command.ts'
import { missingPackage } from './generator/cli/missing-package.ts'

/** The server knows its own options: its program reads the same command line, and is only loaded to run. */
const serveCommand = (): Command =>
  new Command('serve')
    .description('serve the platform on this machine until it is interrupted')
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async (_, command: Command) => {
      try {
        await import('./server/main.ts')
      } catch (error) {
        const name = missingPackage(error)
        if (name === undefined) throw error
        command.error(`error: serve needs the package "${name}", which is not installed: npm install ${name}`)
      }
    })

await new Command('ninefold')
  .description('schema-first OpenAPI generator, and the platform built with it')
  .version(ownPackage().version)
  .addCommand(generateCommand())
  .addCommand(serveCommand())
  .parseAsync()
