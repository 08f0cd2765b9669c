#!/usr/bin/env node
import { enableCompileCache, flushCompileCache } from 'node:module'
import { Command } from 'commander'
import { backupCommand, restoreCommand } from './backup/commands.ts'
import { readConfig, readHostConfig } from './config.ts'
import { iamCommand } from './iam/commands.ts'
import type { RunningServer } from './serve.ts'
import { declaredSettings } from './settings/declarations.ts'
import { vaultCommand } from './vault/commands.ts'
import { limitYoungGrowth, stopYoungGrowth } from './young-generation.ts'

const program = new Command('ninefold').description('the ninefold platform')

program.hook('preAction', (_, command) => {
  if (command.name() === 'serve') stopYoungGrowth()
  // The imports of commands load in half the time once their compiled form is in the temporary folder.
  enableCompileCache()
})

program
  .command('serve')
  .description('serve the platform on this machine until it is interrupted')
  .option('--config <file>', 'settings in JSON (default: ninefold.json, when there is one)')
  .option(
    '--dev',
    'for development: makes the root key of the vault in the data folder, unless a key is configured',
    false,
  )
  .action(async ({ config, dev }: { readonly config?: string; readonly dev: boolean }) => {
    const [{ areas }, { openIam }, { serve }] = await Promise.all([
      import('./areas.ts'),
      import('./iam/open.ts'),
      import('./serve.ts'),
    ])
    const settings = readConfig({ file: config, environment: process.env }, declaredSettings(areas))
    const server = await serve({ ...settings, isDev: dev }, areas, openIam)
    for (const line of server.greeting) console.log(line)
    closeOnSignals(server)
    // A killed process does not write the compile cache at its end, so the cache is written here; otherwise each
    // restart would compile everything again.
    flushCompileCache()
    limitYoungGrowth()
  })

program
  .command('doctor')
  .description('check what the store holds; changes nothing, and may be run while a server is')
  .option('--config <file>', 'settings in JSON (default: ninefold.json, when there is one)')
  .option('--json', 'print each finding as a line of JSON, and a last line with their number', false)
  .action(async ({ config, json }: { readonly config?: string; readonly json: boolean }) => {
    const [{ areas }, { doctor }] = await Promise.all([import('./areas.ts'), import('./doctor/doctor.ts')])
    const { areaValues, ...place } = readHostConfig({ file: config, environment: process.env }, declaredSettings(areas))
    const findings = await doctor({
      place: { ...place, given: areaValues },
      areas,
      isJson: json,
      print: line => console.log(line),
    })
    if (findings > 0) process.exitCode = 1
  })

program.addCommand(backupCommand()).addCommand(restoreCommand()).addCommand(iamCommand()).addCommand(vaultCommand())

/** Closes the server on the first signal, so that calls can end; a second signal ends the process at once. */
function closeOnSignals(server: RunningServer): void {
  let isClosing = false
  const close = (): void => {
    if (isClosing) process.exit(130)
    isClosing = true
    console.log('ninefold ends what it has begun; interrupt again to end at once')
    server.close().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    )
  }
  process.on('SIGINT', close)
  process.on('SIGTERM', close)
}

function fail(error: unknown): void {
  console.error(`ninefold: ${advice(error) ?? (error instanceof Error ? error.message : String(error))}`)
  process.exit(1)
}

/** Returns the message for a taken port or a missing package, with the remedy; undefined for any other error. */
function advice(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  if (error.code === 'EADDRINUSE') return `${error.message}; end what listens there, or set NINEFOLD_HTTP_PORT`
  const [, missing] = /Cannot find package '([^']+)'/.exec(error.message) ?? []
  if (missing !== undefined) return `serving needs the package "${missing}": npm install ${missing}`
  return undefined
}

program.parseAsync().catch(fail)
