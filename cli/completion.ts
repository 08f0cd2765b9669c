import { Argument, type Command } from 'commander'
import { strictCommand } from './usage-exit.ts'

const shells = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof shells)[number]

/**
 * Creates the command `ninefold completion`, which prints a completion script that a shell loads, such as with
 * `source <(ninefold completion bash)`.
 */
export const completionCommand = (): Command =>
  strictCommand('completion')
    .description('print a script that completes commands and operations in a shell')
    .addArgument(new Argument('<shell>', 'which shell').choices(shells))
    .action(async (shell: Shell, _, command: Command) => {
      const [{ operationsOf }, { scripts }] = await Promise.all([
        import('./catalogue.ts'),
        import('./shell-scripts.ts'),
      ])
      const ids = Map.groupBy(await operationsOf(), ({ client }) => client.operationId)
      // An operation id that several areas share completes to the qualified names, because only qualified names can be
      // called.
      const operations = [...ids].flatMap(([id, found]) =>
        found.length > 1 ? found.map(f => `${f.area}.${id}`) : [id],
      )
      const commands = (command.parent?.commands ?? []).map(known => known.name())
      const options = command.parent?.commands.find(known => known.name() === 'api')?.options ?? []
      process.stdout.write(
        scripts[shell]({
          commands,
          operations: operations.sort(),
          options: options.map(({ long }) => long ?? '').filter(long => long !== ''),
        }),
      )
    })
