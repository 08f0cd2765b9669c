import { Command } from 'commander'
import { ownPackage } from '../../generator/own-package.ts'
import type { AreaModule } from '../area.ts'
import { readHostConfig } from '../config.ts'
import { placeName } from '../platform-store.ts'
import { declaredSettings } from '../settings/declarations.ts'

const configHelp = 'settings in JSON (default: ninefold.json, when there is one)'

const print = (line: string): void => console.log(line)

interface BackupFlags {
  readonly to: string
  readonly replace: boolean
  readonly config?: string
}

/** Creates the command `ninefold backup`, which may run while servers run. */
export const backupCommand = (): Command =>
  new Command('backup')
    .description('write what the store holds into one file; may be run while a server is')
    .requiredOption('--to <file>', 'the file; its folder must exist')
    .option('--replace', 'let the backup take the place of a file of that name', false)
    .option('--config <file>', configHelp)
    .action(async ({ config, replace, to }: BackupFlags) => {
      checkNames('--to', to)
      const [{ areas }, { backUp }] = await Promise.all([import('../areas.ts'), import('./backup.ts')])
      const dataDir = dataDirOf(config, areas)
      const { version } = ownPackage()
      await backUp({ dataDir, areas, to, isReplacing: replace, version, now: Date.now(), print })
    })

interface RestoreFlags {
  readonly from: string
  readonly verifyOnly: boolean
  readonly replace: boolean
  readonly discard: boolean
  readonly config?: string
}

/** Creates the command `ninefold restore`, which runs only while no server runs. */
export const restoreCommand = (): Command =>
  new Command('restore')
    .description('make a backup the store of the data folder; no server may run on it')
    .requiredOption('--from <file>', 'a file that "ninefold backup" has written')
    .option('--verify-only', 'check the backup, and change nothing', false)
    .option('--replace', 'put the store that is there aside', false)
    .option('--discard', 'with --replace: delete the store that is there', false)
    .option('--config <file>', configHelp)
    .action(async ({ config, discard, from, replace, verifyOnly }: RestoreFlags) => {
      checkNames('--from', from)
      const [{ areas }, { remakeFiles, restore, verifyBackup }] = await Promise.all([
        import('../areas.ts'),
        import('./restore.ts'),
      ])
      if (verifyOnly) {
        if ((await verifyBackup(from, areas, print)) > 0) process.exitCode = 1
        return
      }
      const dataDir = dataDirOf(config, areas)
      restore({ dataDir, areas, from, isReplacing: replace, isDiscarding: discard, now: Date.now(), print })
      await remakeFiles({ dataDir, areas, print })
    })

/** Throws for an empty name, which would mean the working folder. */
function checkNames(flag: string, file: string): void {
  if (file.trim() === '') throw new Error(`${flag} must name a file`)
}

/** Returns the data folder. Throws if the store is a database instead of a file in the data folder. */
function dataDirOf(config: string | undefined, areas: readonly AreaModule[]): string {
  const place = readHostConfig({ file: config, environment: process.env }, declaredSettings(areas))
  if (place.storeUrl === undefined) return place.dataDir
  throw new Error(
    `the store is the database ${placeName(place)}: back it up and restore it with pg_dump and pg_restore, or by what its host offers`,
  )
}
