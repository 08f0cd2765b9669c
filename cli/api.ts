import { type Command, InvalidArgumentError, Option } from 'commander'
import { strictCommand } from './usage-exit.ts'
import type { ApiFlags } from './api-flags.ts'

/** Creates the command `ninefold api`, which calls any operation of the platform by its id. */
export const apiCommand = (): Command =>
  strictCommand('api')
    .description('call an operation of the platform by its id')
    .argument('[operation]', 'such as createVm, or iam.listOperations where several areas have it')
    .argument('[words...]', 'key=value: parameters, and members of the body with dots; repeat a key to make a list')
    .option('--list [area]', 'list the operations of one area, or of all areas')
    .option('--body <json>', 'the body as JSON, @file, or - for standard input; members given beside it are added')
    .option('--all', 'every row of a list, page after page')
    .option('--limit <rows>', 'at most this many rows of a list, page after page', positive)
    .option('--wait', 'wait until the started operation has ended')
    .addOption(new Option('--output <form>', 'default: a table at a terminal, else json').choices(['table', 'json']))
    .option('--url <url>', 'the server (default: where you signed in, else http://127.0.0.1:8080)')
    .action(async (operation: string | undefined, words: readonly string[], flags: ApiFlags) => {
      const [{ reporting }, { listOperations, callOperation }] = await Promise.all([
        import('./report-error.ts'),
        import('./call-operation.ts'),
      ])
      await reporting(() => (flags.list ? listOperations(flags.list) : callOperation(operation, words, flags)))
    })

function positive(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('it must be a whole number from 1 on.')
}
