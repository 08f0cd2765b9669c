import { Command, Option } from 'commander'
import { existsSync, globSync } from 'node:fs'
import { documentNames, joinedClient } from './cli/document-names.ts'
import type { Flags, Invocation } from './cli/invocation.ts'
import { processTerminal, type Terminal } from './cli/terminal.ts'
import { UsageError } from './cli/usage-error.ts'
import { answerChecks, int64s } from './options.ts'

/**
 * Creates the command `generate`, which sets the exit code of the process to 1 on errors, and with `--check` on
 * differences.
 */
export function generateCommand(terminal: Terminal = processTerminal): Command {
  return new Command('generate')
    .description('generate types, validators, routes, handler interfaces and clients from OpenAPI documents')
    .argument('<documents...>', 'OpenAPI 3.0 documents, YAML or JSON')
    .requiredOption('-o, --out <dir>', 'folder of the generated files; of several documents, one folder each in it')
    .option('--name <file=name>', 'name of a document, instead of its file name', collect)
    .option('--runtime <where>', 'copy, package, or a folder that holds the runtime', 'copy')
    .addOption(endingOption())
    .addOption(answerOption())
    .addOption(int64Option())
    .option('--client <name>', 'class that joins the clients of all documents, in client.ts of the output folder')
    .option('--permission-bits <file>', 'number the permission keys of all documents; the file keeps their order')
    .option('--templates <dir>', 'folder of Handlebars templates that replace built-in ones')
    .option('--check', 'write nothing; list the differences from the documents, and fail if there are any')
    .option('--strict', 'fail on warnings too')
    .option('--report', 'print a table of documents, operations and sizes')
    .option('--watch', 'keep running, and generate again whenever a document changes')
    .option('--validate', 'run the validation of swagger-parser as well')
    .option('--allow-refs', 'let references leave the folder of their document')
    .option('--scaffold <dir>', 'add stubs for new operations to the handwritten classes in a folder')
    .option('--timings', 'print how long each stage took, and which documents were remembered')
    .option('--force', 'overwrite files that the generator did not write')
    .action(async (documents: string[], flags: Flags, command: Command) => {
      const invocation = parse(documents, flags, command)
      const stop = new AbortController()
      if (invocation.watch) process.once('SIGINT', () => stop.abort())
      // The dynamic import keeps help and usage errors from loading the whole generator.
      const { run } = await import('./cli/run.ts')
      process.exitCode = await run(invocation, terminal, stop.signal)
    })
}

const endingOption = (): Option =>
  new Option('--import-ending <ending>', 'ending of relative imports').choices(['.ts', '.js', 'none']).default('.js')

const answerOption = (): Option =>
  new Option('--answer-checks <which>', 'answers that have checks').choices(answerChecks).default('all')

const int64Option = (): Option =>
  new Option('--int64 <form>', 'form of integers of the format int64').choices(['number', ...int64s])

const collect = (value: string, values: readonly string[] = []): string[] => [...values, value]

/**
 * Returns the given file of permission bits. Throws `UsageError` if `file` is given for a single document, because the
 * bits number the keys of several documents.
 */
function severalOnly(file: string | undefined, documents: Invocation['documents']): string | undefined {
  if (file === undefined || documents.length > 1) return file
  throw new UsageError('--permission-bits numbers the keys of several documents: give more than one')
}

function parse(patterns: readonly string[], flags: Flags, command: Command): Invocation {
  try {
    const files = [...new Set(patterns.flatMap(expand))]
    const documents = documentNames(files, flags.name ?? [])
    return {
      documents,
      out: flags.out,
      runtime: flags.runtime,
      importEnding: flags.importEnding === 'none' ? '' : flags.importEnding,
      answerChecks: flags.answerChecks,
      int64: flags.int64,
      client: joinedClient(flags.client, documents),
      permissionBits: severalOnly(flags.permissionBits, documents),
      templates: flags.templates,
      check: flags.check ?? false,
      strict: flags.strict ?? false,
      report: flags.report ?? false,
      watch: flags.watch ?? false,
      validate: flags.validate ?? false,
      allowRefs: flags.allowRefs ?? false,
      scaffold: flags.scaffold,
      timings: flags.timings ?? false,
      force: flags.force ?? false,
    }
  } catch (error) {
    if (error instanceof UsageError) return command.error(`error: ${error.message}`)
    throw error
  }
}

/**
 * Returns the sorted files that match a pattern such as `specs/*.yaml`, because Windows shells do not expand patterns.
 * Returns the pattern itself if it has no wildcard, names an existing file or matches no file.
 */
function expand(pattern: string): string[] {
  if (!/[*?[{]/.test(pattern) || existsSync(pattern)) return [pattern]
  const found = globSync(pattern).map(file => file.replaceAll('\\', '/'))
  return found.length > 0 ? found.sort() : [pattern]
}
