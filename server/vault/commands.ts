import { Command } from 'commander'
import { readConfig } from '../config.ts'
import { declaredSettings } from '../settings/declarations.ts'

/** Creates the command `ninefold vault`, for a person with access to the machine. */
export const vaultCommand = (): Command =>
  new Command('vault').description('manage the vault, from the machine of its server').addCommand(restoreCommand())

interface RestoreFlags {
  readonly from: string
  readonly verifyOnly: boolean
  readonly replace: boolean
  readonly dev: boolean
  readonly config?: string
}

const restoreCommand = (): Command =>
  new Command('restore')
    .description('restore the vault from a snapshot; no server may run on the store')
    .requiredOption('--from <file>', 'a snapshot that takeSnapshot has written')
    .option('--verify-only', 'check the snapshot, and change nothing', false)
    .option('--replace', 'replace the rows of a vault that is not empty; what it has destroyed stays destroyed', false)
    .option('--dev', 'use the root key that "serve --dev" has made, unless a key is configured', false)
    .option('--config <file>', 'settings in JSON (default: ninefold.json, when there is one)')
    .action(async ({ config, dev, from, replace, verifyOnly }: RestoreFlags) => {
      if (from.trim() === '') throw new Error('--from must name a file')
      if (replace && verifyOnly) throw new Error('--verify-only changes nothing, so --replace does not go with it')
      const [{ areas }, { restoreVault }] = await Promise.all([import('../areas.ts'), import('./snapshots/restore.ts')])
      const settings = readConfig({ file: config, environment: process.env }, declaredSettings(areas))
      const print = (line: string): void => console.log(line)
      const options = { areas, from, isVerifying: verifyOnly, isReplacing: replace, print }
      await restoreVault({ ...options, config: { ...settings, isDev: dev } })
    })
