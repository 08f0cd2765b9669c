import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CopyFlags } from './storage/copy.ts'
import type { ListFlags } from './storage/list.ts'
import type { RemoveFlags } from './storage/remove.ts'
import { strictCommand } from './usage-exit.ts'

/** Creates the command `ninefold storage`, which lists, copies and deletes objects. */
export const storageCommand = (): Command =>
  strictCommand('storage')
    .description('list, copy and delete objects of buckets')
    .addCommand(listCommand())
    .addCommand(copyCommand())
    .addCommand(removeCommand())

/** Creates a command with the options that name a workspace, an engine and a server. */
const placeCommand = (name: string): Command =>
  strictCommand(name)
    .option('--workspace <id>', 'its id, or ORGANISATION/WORKSPACE (default: the variable NINEFOLD_WORKSPACE)')
    .option('--engine <name>', 'the engine of the buckets', 'native')
    .option('--url <url>', 'the server (default: where you signed in, else http://127.0.0.1:8080)')

const listCommand = (): Command =>
  placeCommand('ls')
    .description('list the buckets of a workspace, or the objects whose names begin with a place')
    .argument('[place]', 'such as nf://docs/reports/')
    .option('-r, --recursive', 'list the objects of folders too')
    .addOption(new Option('--output <form>', 'default: a table at a terminal, else json').choices(['table', 'json']))
    .action(async (place: string | undefined, flags: ListFlags) => {
      const [{ reporting }, { list }] = await Promise.all([import('./report-error.ts'), import('./storage/list.ts')])
      await reporting(() => list(place, flags))
    })

const copyCommand = (): Command =>
  placeCommand('cp')
    .description('copy files to a bucket, objects to this machine, or objects between buckets')
    .argument('<source>', 'a path, or a place such as nf://docs/reports/may.pdf')
    .argument('<destination>', 'a path, or a place; a place that ends with / is a folder')
    .option('-r, --recursive', 'copy all files of a folder, or all objects of a place')
    .option('--content-type <type>', 'the media type of the objects (default: by the ending of each file)')
    .option('--if-absent', 'never replace an object')
    .addOption(parallel())
    .addHelpText('after', '\nA copy that was interrupted goes on when the same command runs again.')
    .action(async (source: string, destination: string, flags: CopyFlags) => {
      const [{ reporting }, { copy }] = await Promise.all([import('./report-error.ts'), import('./storage/copy.ts')])
      await reporting(() => copy(source, destination, flags))
    })

const removeCommand = (): Command =>
  placeCommand('rm')
    .description('delete an object, or all objects whose names begin with a place')
    .argument('<place>', 'such as nf://docs/reports/may.pdf')
    .option('-r, --recursive', 'delete all objects whose names begin with the place')
    .addOption(parallel())
    .action(async (place: string, flags: RemoveFlags) => {
      const [{ reporting }, { remove }] = await Promise.all([
        import('./report-error.ts'),
        import('./storage/remove.ts'),
      ])
      await reporting(() => remove(place, flags))
    })

const parallel = (): Option =>
  new Option('--parallel <number>', 'the number of transfers at a time, 1 to 32').default(8).argParser(text => {
    const number = Number(text)
    if (/^\d{1,2}$/.test(text) && number >= 1 && number <= 32) return number
    throw new InvalidArgumentError('it must be a whole number from 1 to 32.')
  })
