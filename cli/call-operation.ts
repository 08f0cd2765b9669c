import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { iteratePages } from '../runtime/iterate.ts'
import { parseJson } from '../runtime/json.ts'
import type { OperationRecord } from '../runtime/operations.ts'
import type { ClientRoute } from '../runtime/route.ts'
import { send } from '../runtime/transport.ts'
import type { Transport } from '../runtime/transport.ts'
import { isRecord } from '../runtime/validation.ts'
import { wait } from '../runtime/operations.ts'
import { printAnswer, printRows, rowsOf, type Printing } from './answer-printer.ts'
import { addressOf, findOperation, operationsOf, qualifiedName, type CallableOperation } from './catalogue.ts'
import { CommandError } from './exit-codes.ts'
import { jsonFault } from '../text/json-fault.ts'
import { connect } from './kept-session.ts'
import { printable } from './printable.ts'
import { requestOf } from './request.ts'
import { sessionFile } from './sessions.ts'
import type { ApiFlags } from './api-flags.ts'

/** The largest `page_size` that servers accept. */
const largestPage = 100
const maxDepth = 100

/** Prints the operations of one area or of all areas: name, method and path. */
export async function listOperations(area: true | string): Promise<void> {
  const operations = await operationsOf(area === true ? undefined : area)
  const width = Math.max(...operations.map(operation => qualifiedName(operation).length))
  for (const operation of operations) print(`${qualifiedName(operation).padEnd(width)}  ${addressOf(operation)}`)
}

/**
 * Calls the operation that the command line names, and prints the answer: the rows of all pages with `--all` or
 * `--limit`, and the last operation record with `--wait`. Throws `CommandError` for wrong use, and `ApiError` for a
 * failed call.
 */
export async function callOperation(
  name: string | undefined,
  words: readonly string[],
  flags: ApiFlags,
): Promise<void> {
  if (name === undefined) throw new CommandError('name an operation: ninefold api --list shows all')
  const operation = await findOperation(name)
  refuseFlags(operation, flags)
  const { output = process.stdout.isTTY ? 'table' : 'json' } = flags
  const printing: Printing = { form: output, width: process.stdout.columns ?? 120, print }
  const request = requestOf(operation, { words, body: flags.body === undefined ? undefined : await bodyOf(flags.body) })
  const transport = await connect(sessionFile(), flags.url)
  if (flags.all || flags.limit !== undefined) return printList(transport, operation, request, flags, printing)
  const answer = await send(transport, operation.client, request)
  if (!flags.wait) return printAnswer(answer, operation.rows, printing)
  printAnswer(await waitForEnd(transport, operation, answer), undefined, printing)
}

const isList = ({ client, rows }: CallableOperation): boolean =>
  rows !== undefined || (client.parameters ?? []).some(({ name }) => name === 'page_token')

function refuseFlags(operation: CallableOperation, { all, limit, wait: waits }: ApiFlags): void {
  const { mode, operationId } = operation.client
  if (waits && mode !== 'sync' && mode !== 'async') {
    throw new CommandError(`${operationId} changes nothing: there is nothing to --wait for`)
  }
  if ((all || limit !== undefined) && !isList(operation)) {
    throw new CommandError(`${operationId} is no list: leave ${all ? '--all' : '--limit'} out`)
  }
}

/** Returns the parsed JSON that `--body` names. The errors never quote the JSON, because the JSON may hold secrets. */
async function bodyOf(option: string): Promise<unknown> {
  const place = option === '-' ? 'standard input' : option.startsWith('@') ? option.slice(1) : '--body'
  const json = option === '-' ? await text(process.stdin) : option.startsWith('@') ? await fileText(place) : option
  try {
    return parseJson(json, maxDepth)
  } catch (error) {
    const fault = jsonFault(json)
    if (fault !== undefined) throw new CommandError(`${place} must hold JSON: ${fault}`)
    throw new CommandError(`${place} ${error instanceof Error ? error.message : String(error)}`)
  }
}

async function fileText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    throw new CommandError(`the body ${path} cannot be read (${code})`)
  }
}

async function printList(
  transport: Transport,
  operation: CallableOperation,
  request: object,
  { limit = Infinity }: ApiFlags,
  printing: Printing,
): Promise<void> {
  const size = { page_size: Math.min(limit, largestPage) }
  const hasSize = (operation.client.parameters ?? []).some(({ name }) => name === 'page_size')
  const asked = hasSize ? { ...size, ...request } : request
  const pages = iteratePages(transport, pageRoute(operation.client), asked)
  const { isCut } = await printRows(rowPages(pages, operation.rows), limit, printing)
  if (isCut) say(`there are more than ${limit} rows`)
}

async function* rowPages(
  pages: AsyncIterable<unknown>,
  member: string | undefined,
): AsyncGenerator<readonly unknown[]> {
  for await (const page of pages) yield rowsOf(page, member) ?? []
}

/**
 * Waits for the end of the operation whose record the server returned, prints the progress on standard error, and
 * returns the last record.
 */
async function waitForEnd(
  transport: Transport,
  { area, client }: CallableOperation,
  answer: unknown,
): Promise<unknown> {
  if (!isOperation(answer)) throw new CommandError(`${client.operationId} answered no operation to wait for`)
  const { client: getRoute } = await findOperation(`${area}.getOperation`)
  let last = ''
  const onProgress = ({ id, progress, status }: OperationRecord): void => {
    const line = `${id}: ${status}${progress === undefined ? '' : `, ${progress} %`}`
    if (line !== last) say(printable((last = line)))
  }
  onProgress(answer)
  return wait(transport, recordRoute(getRoute), answer, { onProgress })
}

const isOperation = (value: unknown): value is OperationRecord =>
  isRecord(value) && typeof value.id === 'string' && typeof value.status === 'string'

/**
 * Returns a route with the members of its answer that the specification declares; an answer is otherwise typed as
 * unknown.
 */
const pageRoute = (route: ClientRoute<object, unknown>) => route as ClientRoute<object, { next_page_token?: string }>
const recordRoute = (route: ClientRoute<object, unknown>) =>
  route as ClientRoute<{ readonly id: string }, OperationRecord>

const print = (line: string): void => void process.stdout.write(`${line}\n`)
const say = (line: string): void => void process.stderr.write(`${line}\n`)
